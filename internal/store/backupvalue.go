package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A value is a byte that says what it is, and what it needs.
const (
	nullValue  = 0
	intValue   = 1 // a varint
	falseValue = 2
	trueValue  = 3
	textValue  = 4 // a length and bytes
	bytesValue = 5 // a length and bytes
	floatValue = 6 // eight bytes
)

func appendUvarint(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }

// appendValue spells what a driver gave for a column of a kind.
func appendValue(b []byte, kind columnKind, v any) ([]byte, error) {
	if v == nil {
		return append(b, nullValue), nil
	}
	switch kind {
	case intColumn:
		if n, ok := v.(int64); ok {
			return binary.AppendVarint(append(b, intValue), n), nil
		}
	case boolColumn:
		switch v := v.(type) {
		case bool:
			if v {
				return append(b, trueValue), nil
			}
			return append(b, falseValue), nil
		case int64:
			return appendValue(b, kind, v != 0)
		}
	case textColumn:
		switch v := v.(type) {
		case string:
			return append(appendUvarint(append(b, textValue), uint64(len(v))), v...), nil
		case []byte:
			return append(appendUvarint(append(b, textValue), uint64(len(v))), v...), nil
		}
	case bytesColumn:
		switch v := v.(type) {
		case []byte:
			return append(appendUvarint(append(b, bytesValue), uint64(len(v))), v...), nil
		case string:
			return append(appendUvarint(append(b, bytesValue), uint64(len(v))), v...), nil
		}
	case floatColumn:
		switch v := v.(type) {
		case float64:
			return binary.BigEndian.AppendUint64(append(b, floatValue), math.Float64bits(v)), nil
		case float32:
			return appendValue(b, kind, float64(v))
		case int64:
			return appendValue(b, kind, float64(v))
		}
	}
	return nil, fmt.Errorf("a column for %s holds a %T", kind, v)
}

// errValue is returned for bytes that no backup has.
var errValue = errors.New("a value cannot be read")

// value reads what appendValue wrote and returns the bytes after it.
func value(b []byte) (v any, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, errValue
	}
	kind, b := b[0], b[1:]
	switch kind {
	case nullValue:
		return nil, b, nil
	case falseValue, trueValue:
		return kind == trueValue, b, nil
	case intValue:
		n, size := binary.Varint(b)
		if size <= 0 {
			return nil, nil, errValue
		}
		return n, b[size:], nil
	case floatValue:
		if len(b) < 8 {
			return nil, nil, errValue
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), b[8:], nil
	case textValue, bytesValue:
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, nil, errValue
		}
		b = b[size:]
		// A copy: the buffer is used again for the next row.
		if kind == textValue {
			return string(b[:n]), b[n:], nil
		}
		return append([]byte{}, b[:n]...), b[n:], nil
	}
	return nil, nil, errValue
}
