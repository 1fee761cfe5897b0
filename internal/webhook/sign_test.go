package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func signed(id string, at time.Time, body []byte, secrets ...Secret) http.Header {
	h := http.Header{}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(HeaderSignature, Sign(id, at, body, secrets...))
	return h
}

func TestSignIsVerifiedByTheStandardLibrary(t *testing.T) {
	old, new := NewSecret(), NewSecret()
	bodies := []string{`{}`, ``, `{"type":"x","data":{"n":1.0,"s":"ü\u0000"}}`, strings.Repeat("a", 256<<10)}
	for _, body := range bodies {
		// The library takes the time of day from the system.
		h := signed("msg_1", time.Now(), []byte(body), new, old)
		for _, s := range []Secret{old, new} {
			wh, err := standard.NewWebhook(s.Reveal())
			if err != nil {
				t.Fatal(err)
			}
			if err := wh.Verify([]byte(body), h); err != nil {
				t.Errorf("body of %d bytes: the standard library says %v", len(body), err)
			}
			if err := wh.Verify([]byte(body+" "), h); err == nil {
				t.Errorf("body of %d bytes: verified although changed", len(body))
			}
		}
		stranger, _ := standard.NewWebhook(NewSecret().Reveal())
		if err := stranger.Verify([]byte(body), h); err == nil {
			t.Error("verified with a stranger's secret")
		}
	}
}

func TestVerifyAcceptsTheStandardLibrarysSignature(t *testing.T) {
	s := NewSecret()
	wh, err := standard.NewWebhook(s.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	sig, err := wh.Sign("msg_2", at, []byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	h := signed("msg_2", at, nil)
	h.Set(HeaderSignature, "v1a,xyz "+sig+" v2,abc")
	if err := Verify(h, []byte(`{"a":1}`), at, s); err != nil {
		t.Errorf("Verify = %v; want nil", err)
	}
}

// The vector is the example of the Standard Webhooks specification.
func TestSignKnownVector(t *testing.T) {
	key := "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	wh, err := standard.NewWebhook(key)
	if err != nil {
		t.Fatal(err)
	}
	want, err := wh.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if err != nil {
		t.Fatal(err)
	}
	if const_ := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; want != const_ {
		t.Fatalf("the library gives %q; want %q", want, const_)
	}
	// The example's key is shorter than ours are allowed to be, hence the
	// field and not ParseSecret.
	s := Secret{key: "1\xf2\x90\xf6\xbf\x06\x29\x8a\xab\x4f\x08\xd4\x3c\x3f\x08\x2c\xf6\x48\xa3\x62\xda\x2d\xa4\xb0"}
	if got := Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), s); got != want {
		t.Errorf("Sign = %q; want %q", got, want)
	}
}

func TestSignOrder(t *testing.T) {
	a, b, at := NewSecret(), NewSecret(), time.Unix(1e9, 0)
	got := Sign("m", at, nil, a, Secret{}, b)
	if want := Sign("m", at, nil, a) + " " + Sign("m", at, nil, b); got != want {
		t.Errorf("Sign(a, zero, b) = %q; want %q", got, want)
	}
	if got := Sign("m", at, nil); got != "" {
		t.Errorf("Sign without secrets = %q; want nothing", got)
	}
}

func TestVerifyRefuses(t *testing.T) {
	s, at, body := NewSecret(), time.Unix(1_800_000_000, 0), []byte(`{}`)
	tests := map[string]struct {
		change func(http.Header)
		now    time.Time
		secret Secret
		want   error
	}{
		"fresh":            {now: at, secret: s, want: nil},
		"edge of the past": {now: at.Add(Tolerance), secret: s, want: nil},
		"too old":          {now: at.Add(Tolerance + time.Second), secret: s, want: ErrTimestamp},
		"edge of future":   {now: at.Add(-Tolerance), secret: s, want: nil},
		"too new":          {now: at.Add(-Tolerance - time.Second), secret: s, want: ErrTimestamp},
		"overflow":         {change: func(h http.Header) { h.Set(HeaderTimestamp, "-9223372036854775808") }, now: at, secret: s, want: ErrTimestamp},
		"other secret":     {now: at, secret: NewSecret(), want: ErrSignature},
		"zero secret":      {now: at, want: ErrHeaders},
		"no id":            {change: func(h http.Header) { h.Del(HeaderID) }, now: at, secret: s, want: ErrHeaders},
		"other id":         {change: func(h http.Header) { h.Set(HeaderID, "m2") }, now: at, secret: s, want: ErrSignature},
		"no timestamp":     {change: func(h http.Header) { h.Del(HeaderTimestamp) }, now: at, secret: s, want: ErrHeaders},
		"odd timestamp":    {change: func(h http.Header) { h.Set(HeaderTimestamp, "1.8e9") }, now: at, secret: s, want: ErrHeaders},
		"moved timestamp":  {change: func(h http.Header) { h.Set(HeaderTimestamp, "1800000001") }, now: at, secret: s, want: ErrSignature},
		"no signature":     {change: func(h http.Header) { h.Del(HeaderSignature) }, now: at, secret: s, want: ErrHeaders},
		"other version": {change: func(h http.Header) {
			h.Set(HeaderSignature, strings.Replace(h.Get(HeaderSignature), "v1,", "v2,", 1))
		}, now: at, secret: s, want: ErrSignature},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := signed("m1", at, body, s)
			if tt.change != nil {
				tt.change(h)
			}
			if got := Verify(h, body, tt.now, tt.secret); !errors.Is(got, tt.want) {
				t.Errorf("Verify = %v; want %v", got, tt.want)
			}
		})
	}
}

func TestParseSecret(t *testing.T) {
	good := NewSecret().Reveal()
	if s, err := ParseSecret(good); err != nil || s.Reveal() != good {
		t.Errorf("ParseSecret(Reveal()) = %q, %v; want the same text", s.Reveal(), err)
	}
	for _, bad := range []string{
		"", "whsec_", good[6:], strings.ToUpper(good[:6]) + good[6:], good + "A", good[:len(good)-1],
		"whsec_" + strings.Repeat("A", 32), good[:20] + "\n" + good[20:], " " + good, strings.Replace(good, "=", "", 1),
		"whsec_" + strings.Repeat("A", 42) + "B=", // 32 bytes and two stray bits
	} {
		s, err := ParseSecret(bad)
		if err == nil || !s.IsZero() {
			t.Errorf("ParseSecret(%q) = %v; want an error", bad, err)
		} else if len(bad) > 8 && strings.Contains(err.Error(), strings.TrimSpace(bad)[8:]) {
			t.Errorf("ParseSecret(%q): the error repeats the text: %v", bad, err)
		}
	}
}

func TestSecretHidesItself(t *testing.T) {
	s := NewSecret()
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", s, "in", struct{ S Secret }{s})
	js, _ := json.Marshal(struct{ S Secret }{s})
	shown := fmt.Sprintf("%v %+v %#v %s %q %x %v", s, s, s, s, s, s, struct{ s *Secret }{&s}) + log.String() + string(js)
	for _, leak := range []string{s.Reveal()[6:], s.key, fmt.Sprintf("%x", s.key), strconv.Quote(s.key)} {
		if strings.Contains(shown, leak) {
			t.Errorf("the key shows as %q in %q", leak, shown)
		}
	}
}
