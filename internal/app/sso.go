package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"heed/internal/feedback"
)

// claims is what a token of single sign-on says.
type claims struct {
	Subject string
	Email   string
	Name    string
	ID      string
	Expires time.Time
}

// maxTokenTime bounds how far ahead a token may expire: ids of used tokens are
// remembered for as long.
const maxTokenTime = 24 * time.Hour

func errToken(why string) error {
	return &feedback.Error{
		Code: feedback.Forbidden, Msg: "The sign-in token is not valid: " + why + ".",
		Hint: "Sign in from the application again.", Details: map[string]any{"reason": "token"},
	}
}

// readToken reads a JSON Web Token signed with HS256. Only that algorithm is
// known here, so a token cannot choose a weaker one. exp, aud, jti and sub must
// be there; aud is the slug or the id of the site.
func readToken(token string, secret []byte, site *feedback.Site, now time.Time) (*claims, error) {
	if len(token) > 8<<10 {
		return nil, errToken("it is too long")
	}
	head, rest, _ := strings.Cut(token, ".")
	payload, sig, ok := strings.Cut(rest, ".")
	raw := func(s string) []byte {
		b, err := base64.RawURLEncoding.Strict().DecodeString(s)
		if err != nil {
			ok = false
		}
		return b
	}
	var header struct {
		Alg  string   `json:"alg"`
		Crit []string `json:"crit"`
	}
	if err := json.Unmarshal(raw(head), &header); err != nil || !ok {
		return nil, errToken("it is not a JSON Web Token")
	}
	if header.Alg != "HS256" || header.Crit != nil {
		return nil, errToken("it is not signed with HS256")
	}
	m := hmac.New(sha256.New, secret)
	m.Write([]byte(head + "." + payload))
	if !hmac.Equal(m.Sum(nil), raw(sig)) || !ok {
		return nil, errToken("its signature is wrong")
	}
	var c struct {
		Sub   string   `json:"sub"`
		Email string   `json:"email"`
		Name  string   `json:"name"`
		JTI   string   `json:"jti"`
		Aud   audience `json:"aud"`
		Exp   *float64 `json:"exp"`
		NBF   *float64 `json:"nbf"`
	}
	if err := json.Unmarshal(raw(payload), &c); err != nil || !ok {
		return nil, errToken("its claims cannot be read")
	}
	var p feedback.Problems
	if c.Email = feedback.NormalEmail(c.Email); c.Email != "" {
		feedback.CheckEmail(&p, "email", c.Email)
	}
	rule, _ := feedback.VisitorRef("").Rule().Broken(c.Sub)
	badName, _ := feedback.VisitorName("").Rule().Broken(c.Name)
	switch {
	case c.Exp == nil || c.Aud == nil || c.JTI == "" || len(c.JTI) > 200:
		return nil, errToken("it needs exp, aud and jti")
	case float64(now.Unix()) >= *c.Exp:
		return nil, errToken("it has expired")
	case *c.Exp > float64(now.Add(maxTokenTime).Unix()):
		return nil, errToken("it expires more than a day ahead")
	case c.NBF != nil && float64(now.Unix()+60) < *c.NBF:
		return nil, errToken("it is not valid yet")
	case !c.Aud.has(site.Slug) && !c.Aud.has(site.ID.String()):
		return nil, errToken("it is for another audience")
	case rule != "" || badName != "" || len(p) > 0 || feedback.VisitorRef(c.Sub).Ours():
		return nil, errToken("sub, email or name is not usable")
	}
	return &claims{Subject: c.Sub, Email: c.Email, Name: c.Name, ID: c.JTI, Expires: time.Unix(int64(*c.Exp), 0)}, nil
}

// audience is one text or a list of them.
type audience []string

func (a *audience) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(a))
}

func (a audience) has(s string) bool {
	for _, v := range a {
		if v == s {
			return true
		}
	}
	return false
}
