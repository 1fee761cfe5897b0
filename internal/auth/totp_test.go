package auth_test

import (
	"testing"
	"time"

	"heed/internal/auth"
)

// The vectors of RFC 6238, appendix B, cut to six digits.
func TestTOTP(t *testing.T) {
	secret := auth.TOTP("12345678901234567890")
	for _, tc := range []struct {
		unix int64
		code string
	}{
		{59, "287082"}, {1111111109, "081804"}, {1111111111, "050471"}, {1234567890, "005924"},
		{2000000000, "279037"}, {20000000000, "353130"},
	} {
		now := time.Unix(tc.unix, 0)
		if got := secret.Code(secret.Step(now)); got != tc.code {
			t.Errorf("Code at %d = %s; want %s", tc.unix, got, tc.code)
		}
		if step, ok := secret.Check(" "+tc.code[:3]+" "+tc.code[3:], now.Add(25*time.Second)); !ok || step != secret.Step(now) {
			t.Errorf("Check of a code 25 s old = %d, %v; want its step", step, ok)
		}
		if _, ok := secret.Check(tc.code, now.Add(95*time.Second)); ok {
			t.Errorf("a code of %d is taken 95 s later", tc.unix)
		}
	}
}

func TestTOTPSpelling(t *testing.T) {
	s := auth.NewTOTP()
	back, err := auth.ParseTOTP(s.String())
	if err != nil || string(back) != string(s) {
		t.Errorf("ParseTOTP(String) = %x, %v; want %x", back, err, s)
	}
	if _, err := auth.ParseTOTP("short"); err == nil {
		t.Error("ParseTOTP of a short text succeeds")
	}
}

func TestRecoveryCode(t *testing.T) {
	a, b := auth.NewRecoveryCode(), auth.NewRecoveryCode()
	if a == b || len(a) != 19 {
		t.Errorf("recovery codes %q, %q; want two of 19 characters", a, b)
	}
	if string(auth.HashRecoveryCode("ABCD efgh-IJKL")) != string(auth.HashRecoveryCode("abcd-efgh-ijkl")) {
		t.Error("the same code typed in another way has another hash")
	}
}
