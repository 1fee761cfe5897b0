package api

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"heed/internal/feedback"
)

// checkJSON returns nil if b is one JSON text as RFC 7493 wants it: UTF-8, no
// member twice, nothing after it.
func checkJSON(b []byte) error {
	d := jsontext.NewDecoder(strings.NewReader(string(b)))
	err := d.SkipValue()
	if err == nil {
		if _, err = d.ReadToken(); err == nil {
			err = errors.New("more than one value")
		} else if err.Error() == "EOF" {
			return nil
		}
	}
	offset, reason := d.InputOffset(), "syntax"
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = e.ByteOffset
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		reason = "duplicate_member"
	case strings.Contains(err.Error(), "UTF-8"):
		reason = "utf8"
	case strings.Contains(err.Error(), "depth"):
		reason = "depth"
	}
	return &feedback.Error{
		Code: feedback.InvalidJSON, Msg: "The body is not valid JSON.",
		Hint:    "Check the body with a JSON parser; details.offset says where reading stopped.",
		Details: map[string]any{"offset": offset, "reason": reason},
		Err:     err,
	}
}

// decode reads a JSON text that checkJSON let pass into the struct that dst
// points to, and returns what does not fit. Members map to fields by their json
// tag. A pointer may be absent but not null; with the tag null:"ok" it may be
// null but not absent; a pointer to a pointer may be both, and points to nil if
// it was null; everything else is required. Values are judged elsewhere: here
// only their types are.
func decode(text []byte, dst any) (p feedback.Problems) {
	v := reflect.ValueOf(dst).Elem()
	if len(text) == 0 {
		text = []byte("{}")
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		p.Add("", feedback.RuleType, "the body must be a JSON object")
		return p
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := memberName(f)
		raw, given := members[name]
		delete(members, name)
		null := string(raw) == "null"
		switch {
		case !given && (!optional(f)):
			p.Add(name, feedback.RuleRequired, "is required")
		case !given, null && f.Tag.Get("null") == "ok":
		case null && clearable(f):
			v.Field(i).Set(reflect.New(f.Type.Elem()))
		case null:
			p.Add(name, feedback.RuleNull, "must not be null")
		default:
			decodeValue(&p, name, raw, v.Field(i))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == "" {
			name = `""` // an empty path stands for the whole body
		}
		name = strings.ToValidUTF8(name[:min(len(name), 100)], "")
		p.Add(name, feedback.RuleUnknown, "is not a member of this request")
	}
	return p
}

func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// optional reports whether a member may be absent.
func optional(f reflect.StructField) bool {
	return (f.Type.Kind() == reflect.Pointer || f.Type.Kind() == reflect.Slice) && f.Tag.Get("null") != "ok"
}

// clearable reports whether a member may be absent and may be null, which are two
// things.
func clearable(f reflect.StructField) bool {
	return f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Pointer
}

// decodeValue reads one value, which is not null unless it is an element.
func decodeValue(p *feedback.Problems, path string, raw json.RawMessage, v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	kind := jsontext.Value(raw).Kind()
	if t, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		var s string
		if kind != '"' || json.Unmarshal(raw, &s) != nil {
			p.Add(path, feedback.RuleType, "must be a string")
		} else if err := t.UnmarshalText([]byte(s)); err != nil {
			p.Add(path, feedback.RuleFormat, err.Error())
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		var s string
		if kind != '"' || json.Unmarshal(raw, &s) != nil {
			p.Add(path, feedback.RuleType, "must be a string")
			return
		}
		v.SetString(s)
	case reflect.Bool:
		if kind != 't' && kind != 'f' {
			p.Add(path, feedback.RuleType, "must be true or false")
			return
		}
		v.SetBool(kind == 't')
	case reflect.Int, reflect.Int64:
		n, ok := wholeNumber(string(raw))
		if kind != '0' || !ok {
			p.Add(path, feedback.RuleType, "must be a whole number")
			return
		}
		v.SetInt(n)
	case reflect.Slice:
		var elems []json.RawMessage
		if kind != '[' || json.Unmarshal(raw, &elems) != nil {
			p.Add(path, feedback.RuleType, "must be an array")
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), len(elems), len(elems)))
		for i, e := range elems {
			decodeValue(p, fmt.Sprintf("%s.%d", path, i), e, v.Index(i))
		}
	default:
		panic("api: a body has a field of type " + v.Type().String())
	}
}

// wholeNumber reads a JSON number that is an integer, also one spelled 7.0 or
// 7e0. It counts digits: a float would take 1e-400 for 0.
func wholeNumber(s string) (int64, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	if strings.Trim(digits, "-0") == "" {
		return 0, true
	}
	shift, err := strconv.Atoi(cmp.Or(exponent, "0"))
	zeros := shift - len(fraction) + len(whole+fraction) - len(digits) // to be put at its end
	if err != nil || zeros < 0 || zeros > len("9223372036854775807") {
		return 0, false
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", zeros), 10, 64)
	return n, err == nil
}

// utcTime is a moment in a request: RFC 3339 in UTC, with a trailing Z.
type utcTime time.Time

const utcPattern = `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$`

// UnmarshalText reads the moment. The error is a message for a person.
func (u *utcTime) UnmarshalText(b []byte) error {
	t, err := time.Parse(time.RFC3339Nano, string(b))
	// time.Parse takes a comma for a point.
	if err != nil || !strings.HasSuffix(string(b), "Z") || strings.Contains(string(b), ",") || len(b) < len("2006-01-02T15:04:05Z") {
		return errors.New("must be a moment in UTC such as 2026-11-15T01:34:10Z")
	}
	*u = utcTime(t)
	return nil
}
