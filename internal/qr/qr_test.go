package qr_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"heed/internal/qr"
)

func picture(c *qr.Code) string {
	var b strings.Builder
	for y := range c.Size {
		for x := range c.Size {
			if c.Dark(x, y) {
				b.WriteByte('#')
			} else {
				b.WriteByte('.')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// The codes of testdata were drawn by another program, python-qrcode 8. They have
// one block and several, of equal length and not, with and without a version
// written into them, and lengths of one byte and two.
func TestSameAsOthers(t *testing.T) {
	b, err := os.ReadFile("testdata/codes.txt")
	if err != nil {
		t.Fatal(err)
	}
	codes := strings.Split(string(b), "\n\n")
	if len(codes) != 6 {
		t.Fatalf("%d codes", len(codes))
	}
	for _, code := range codes {
		text, want, _ := strings.Cut(code, "\n")
		c, err := qr.Encode(text)
		if err != nil {
			t.Errorf("%d bytes: %v", len(text), err)
			continue
		}
		if got := picture(c); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%d bytes:\n%s\nwant\n%s", len(text), got, want)
		}
	}
}

func TestTooLong(t *testing.T) {
	if _, err := qr.Encode(strings.Repeat("x", 520)); err != nil {
		t.Errorf("520 bytes: %v", err)
	}
	if _, err := qr.Encode(strings.Repeat("x", 521)); !errors.Is(err, qr.ErrTooLong) {
		t.Errorf("521 bytes: %v; want ErrTooLong", err)
	}
	if c, err := qr.Encode(""); err != nil || c.Size != 21 {
		t.Errorf("nothing: %v", err)
	}
}
