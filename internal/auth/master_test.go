package auth_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"heed/internal/auth"
)

var plainSecret = bytes.Repeat([]byte{0xfb, 0xef, 0x17, 0x2a}, 8)

func master(t *testing.T) auth.Master {
	t.Helper()
	m, err := auth.ParseMaster(base64.StdEncoding.EncodeToString(plainSecret))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func same(a, b auth.Master) bool {
	return !a.IsZero() && !b.IsZero() && bytes.Equal(a.Derive("test"), b.Derive("test"))
}

func TestParseMaster(t *testing.T) {
	want := master(t)
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		m, err := auth.ParseMaster(" " + enc.EncodeToString(plainSecret) + "\n")
		if err != nil || !same(m, want) {
			t.Errorf("ParseMaster(%s) = %v; want the same secret", enc.EncodeToString(plainSecret), err)
		}
	}
	for name, bad := range map[string]string{
		"empty": "", "short": "c2hvcnQ=", "not base64": strings.Repeat("!", 44),
		"long":  base64.StdEncoding.EncodeToString(make([]byte, 33)),
		"zeros": base64.StdEncoding.EncodeToString(make([]byte, 32)),
	} {
		if m, err := auth.ParseMaster(bad); err == nil || !m.IsZero() {
			t.Errorf("%s: ParseMaster = %v; want an error", name, err)
		}
	}
}

// The keys are pinned: changing them would silently lose every sealed secret
// and every signed cookie of an installation.
func TestDeriveIsStable(t *testing.T) {
	m := master(t)
	const want = "807e8e350c643aada9d2d8c980e2205c8337dc0f7602a8e948f4c12e14e736b1"
	if got := hex.EncodeToString(m.Derive("cursor")); got != want {
		t.Errorf("Derive(cursor) = %s; want %s", got, want)
	}
	if bytes.Equal(m.Derive("cursor"), m.Derive("cookie")) {
		t.Error("two purposes share a key")
	}
	if bytes.Equal(m.Derive("cursor"), auth.NewMaster().Derive("cursor")) {
		t.Error("two masters share a key")
	}
}

func TestZeroMasterPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Derive of the zero Master did not panic")
		}
	}()
	auth.Master{}.Derive("cursor")
}

func TestSealOpen(t *testing.T) {
	s := master(t).Sealer("webhook")
	plain, context := []byte("whsec_example"), []byte("we_1")
	sealed := s.Seal(plain, context)
	if got, err := s.Open(sealed, context); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("Open = %q, %v; want %q", got, err, plain)
	}
	if bytes.Contains(sealed, plain) {
		t.Error("the sealed value holds the plain one")
	}
	if bytes.Equal(sealed, s.Seal(plain, context)) {
		t.Error("two seals of one value are equal")
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := s.Open(changed, context); !errors.Is(err, auth.ErrSealed) {
			t.Errorf("Open with byte %d changed = %v; want ErrSealed", i, err)
		}
		if _, err := s.Open(sealed[:i], context); !errors.Is(err, auth.ErrSealed) {
			t.Errorf("Open of the first %d bytes = %v; want ErrSealed", i, err)
		}
	}
	if _, err := s.Open(sealed, []byte("we_2")); !errors.Is(err, auth.ErrSealed) {
		t.Errorf("Open in another context = %v; want ErrSealed", err)
	}
	if _, err := master(t).Sealer("mail").Open(sealed, context); !errors.Is(err, auth.ErrSealed) {
		t.Errorf("Open for another purpose = %v; want ErrSealed", err)
	}
	if got, err := s.Open(s.Seal(nil, nil), nil); err != nil || len(got) != 0 {
		t.Errorf("Open of a sealed nothing = %q, %v", got, err)
	}
}

// Whatever prints a Master prints no part of it, in any notation.
func TestMasterNeverPrints(t *testing.T) {
	m := master(t)
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%c", "%U", "%p", "%z"} {
		fmt.Fprintf(&out, verb+"\n", m)
		fmt.Fprintf(&out, verb+"\n", &m)
		fmt.Fprintf(&out, verb+"\n", struct{ M auth.Master }{m})
		fmt.Fprintf(&out, verb+"\n", struct{ hidden auth.Master }{m})
		fmt.Fprintf(&out, verb+"\n", &struct{ hidden *auth.Master }{&m})
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("start", "secret", m, "config", struct{ M auth.Master }{m})
	}
	if err := json.NewEncoder(&out).Encode(map[string]any{"m": m, "p": &m}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(&out, m.String(), m)
	for _, leak := range []string{"fbef17", "FBEF17", "fb ef", "251 239", "373 357", "11111011 ", "++8X", "--8X", "ûï"} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("output holds %q, a part of the secret:\n%s", leak, out.String())
		}
	}
	if !strings.Contains(out.String(), "[redacted]") {
		t.Error("nothing was printed at all")
	}
}

func TestLoadOrCreateMaster(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "heed.db.key")
	first, err := auth.LoadOrCreateMaster(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := auth.LoadOrCreateMaster(path)
	if err != nil || !same(again, first) {
		t.Errorf("second load = %v; want the first secret", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files left behind; want only the key", len(entries))
	}
}

func TestLoadOrCreateMasterRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.db.key")
	var got [32]auth.Master
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			m, err := auth.LoadOrCreateMaster(path)
			if err != nil {
				t.Error(err)
			}
			got[i] = m
		})
	}
	wg.Wait()
	for i, m := range got {
		if !same(m, got[0]) {
			t.Fatalf("racer %d holds another secret than racer 0", i)
		}
	}
}

func TestLoadMasterRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"empty":         {"", 0o600, "0 bytes"},
		"damaged":       {"AAAA", 0o600, "3 bytes"},
		"open to world": {base64.StdEncoding.EncodeToString(plainSecret), 0o644, "chmod 600"},
	} {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(tc.text), tc.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := auth.LoadOrCreateMaster(path); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: LoadOrCreateMaster = %v; want an error with %q", name, err, tc.want)
		}
		if text, _ := os.ReadFile(path); string(text) != tc.text {
			t.Errorf("%s: the file was overwritten", name)
		}
	}
	if _, err := auth.LoadOrCreateMaster(filepath.Join(t.TempDir(), "missing", "key")); err == nil {
		t.Error("LoadOrCreateMaster in a missing directory = nil error")
	}
}
