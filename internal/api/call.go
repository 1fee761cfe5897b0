package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/idempotency"
)

const (
	// maxBody is the longest body of a request.
	maxBody = 256 << 10
	// maxDrain is how much of a body that is too long, or comes with a request
	// that is refused before, is read and thrown away: most clients read no
	// answer before they have sent everything.
	maxDrain = 16 << 20
)

// call is a request that has been read.
type call struct {
	api     *API
	op      *operation
	r       *http.Request
	actor   *app.Actor
	query   url.Values
	body    []byte // JSON text, or empty
	decoded any    // a pointer to what body says
	once    app.Once
	after   feedback.Position // of the cursor
}

func (c *call) path(name string) string { return c.r.PathValue(name) }

// read takes in all of the request that can be taken in without knowing what it
// is about. What it refuses is not a request at all.
func (a *API) read(r *http.Request, op *operation, actor *app.Actor) (*call, error) {
	c := &call{api: a, op: op, r: r, actor: actor}
	var err error
	if c.query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return nil, invalidRequest("query", "The query string cannot be read.", "Percent-encode the values of the query string.")
	}
	if !utf8.ValidString(r.URL.Path) || !validText(c.query) {
		return nil, invalidRequest("utf8", "The path or the query string is not UTF-8.", "Encode text as UTF-8 before percent-encoding it.")
	}
	if op.writes() {
		if err := c.readBody(); err != nil {
			return nil, err
		}
		if err := c.readIdempotencyKey(); err != nil {
			return nil, err
		}
	}
	if cs, given := c.query["cursor"]; given && op.pages() && len(cs) == 1 {
		if c.after, err = a.cursors.open(c, cs[0]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func validText(query url.Values) bool {
	for name, values := range query {
		if !utf8.ValidString(name) || slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) {
			return false
		}
	}
	return true
}

func (op *operation) pages() bool {
	for _, p := range op.query {
		if p.name == cursorParam.name {
			return true
		}
	}
	return false
}

func (c *call) readBody() error {
	body, err := io.ReadAll(io.LimitReader(c.r.Body, maxBody+1))
	switch {
	case err != nil:
		return invalidRequest("body_unreadable", "The body cannot be read.", "Send the request again.")
	case len(body) > maxBody:
		drain(c.r)
		e := invalidRequest("body_too_large", fmt.Sprintf("The body is longer than %d bytes.", maxBody), "Send less at once.")
		e.Details["maxLength"] = maxBody
		return e
	}
	if len(bytes.TrimSpace(body)) == 0 {
		if !c.op.needsBody() {
			return nil
		}
		return invalidRequest("empty_body", "The request has no body.", "Send a JSON object as the body.")
	}
	media, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" || params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return invalidRequest("content_type", "The body is not declared as JSON.", "Send the header Content-Type: application/json.")
	}
	if coding := c.r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return invalidRequest("content_encoding", "The body is compressed.", "Send the body as it is, without the header Content-Encoding.")
	}
	if err := checkJSON(body); err != nil {
		return err
	}
	c.body = body
	return nil
}

// drain takes in what is left of a body that nobody will read.
func drain(r *http.Request) {
	_, _ = io.CopyN(io.Discard, r.Body, maxDrain) // the answer is the same
}

func (c *call) readIdempotencyKey() error {
	values := c.r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return nil
	}
	if len(values) > 1 || !idempotency.ValidKey(values[0]) {
		return &feedback.Error{
			Code:    feedback.IdempotencyBadKey,
			Msg:     "The Idempotency-Key header is not usable as a key.",
			Hint:    "Send one key of 1 to 255 visible ASCII characters, such as a UUID.",
			Details: map[string]any{"maxLength": 255},
		}
	}
	fp, err := idempotency.FingerprintOf(c.r.Method, c.r.URL.Path, c.body)
	if err != nil {
		return fmt.Errorf("fingerprint: %w", err)
	}
	c.once = app.Once{Key: values[0], Fingerprint: fp}
	return nil
}

// window reads the parameters of a page.
func (c *call) window() feedback.Window {
	w := feedback.Window{Limit: feedback.DefaultLimit, After: c.after}
	c.checkOnce(&w.Malformed)
	if vs := c.query["limit"]; len(vs) == 1 {
		n, err := strconv.Atoi(vs[0])
		// Atoi also takes a sign, which a JSON number may not have as +. A
		// number beyond all bounds comes back as the last one before them.
		if err != nil && !errors.Is(err, strconv.ErrRange) || strings.HasPrefix(vs[0], "+") {
			w.Malformed.Add("limit", feedback.RuleType, "must be a whole number")
		}
		w.Limit = n
	}
	return w
}

// checkOnce adds a problem for each declared parameter that is given twice.
func (c *call) checkOnce(p *feedback.Problems) {
	for _, q := range c.op.query {
		if len(c.query[q.name]) > 1 {
			p.Add(q.name, feedback.RuleOnce, "must be given once")
		}
	}
}

// required adds a problem if a parameter that is needed is absent.
func (c *call) required(p *feedback.Problems, name string) {
	if !c.query.Has(name) {
		p.Add(name, feedback.RuleRequired, "is required")
	}
}

func invalidRequest(reason, msg, hint string) *feedback.Error {
	return &feedback.Error{
		Code: feedback.InvalidRequest, Msg: msg, Hint: hint, Details: map[string]any{"reason": reason},
	}
}
