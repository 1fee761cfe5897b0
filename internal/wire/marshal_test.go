package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"heed/internal/wire"
)

// What Marshal spells out is what reflection would write, whatever the texts are
// and with every field there is: a field that is added to a struct and forgotten
// there makes this fail.
func TestMarshal(t *testing.T) {
	texts := []string{
		"", "Dark mode", `"quoted" \ and /`, "<script>&amp;", "tab\tline\nbell\a", "héllo 日本語 🐝", "\u2028\u2029", "bad \xff utf-8", "\x7f",
	}
	for _, text := range texts {
		posts := wire.List[wire.Post]{Data: []wire.Post{{}, filled[wire.Post](text), filled[wire.Post](text)}, NextCursor: &text}
		posts.Data[0].Tags = []wire.Tag{}
		same(t, posts)
		same(t, wire.List[wire.SearchResult]{Data: []wire.SearchResult{{}, filled[wire.SearchResult](text)}})
		same(t, filled[wire.Site](text))
	}
	same(t, wire.List[wire.Post]{Data: []wire.Post{}})
}

func TestAt(t *testing.T) {
	zone := time.FixedZone("east", 2*60*60)
	for want, at := range map[wire.Time]time.Time{
		"2026-11-15T07:08:09.000Z": time.Date(2026, 11, 15, 7, 8, 9, 0, time.UTC),
		"2026-11-15T07:08:09.007Z": time.Date(2026, 11, 15, 9, 8, 9, 7_999_999, zone),
		"1999-12-31T23:59:59.999Z": time.Date(1999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
	} {
		if got := wire.At(at); got != want {
			t.Errorf("At(%v) = %s; want %s", at, got, want)
		}
	}
	if at := wire.MaybeAt(time.Time{}); at != nil {
		t.Errorf("MaybeAt of no time = %s", *at)
	}
}

func same(t *testing.T, v any) {
	t.Helper()
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.Marshal(v)
	if err != nil || string(got) != string(want) {
		t.Errorf("Marshal(%T) = %s, %v\nwant %s", v, got, err, want)
	}
}

// filled returns a T with something in every field.
func filled[T any](text string) (v T) {
	fill(reflect.ValueOf(&v).Elem(), text)
	return v
}

func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), text)
		}
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(42)
	default:
		panic("no way to fill a " + v.Type().String())
	}
}

func BenchmarkMarshal(b *testing.B) {
	list := wire.List[wire.Post]{}
	for range 50 {
		list.Data = append(list.Data, filled[wire.Post]("Dark mode that follows the system"))
	}
	b.Run("here", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			wire.Marshal(list)
		}
	})
	b.Run("reflection", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			json.Marshal(list)
		}
	})
}
