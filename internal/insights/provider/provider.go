// Package provider speaks to a service with an OpenAI-compatible interface, for
// those who configure one: it turns texts into vectors and asks for the name of
// a group of posts. It knows no quota, no database and nothing of Heed; it
// decides how a request is sent, how long it may take, when it is sent again,
// and how much of an answer is believed.
//
// Posts are written by strangers. They are sent as data, apart from the
// instructions, and what comes back is taken for a text of unknown intent: see
// [Client.Name].
package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Secret is a key that no log shows.
type Secret string

// LogValue hides the key.
func (Secret) LogValue() slog.Value { return slog.StringValue("[secret]") }

// String hides the key.
func (Secret) String() string { return "[secret]" }

// MarshalText hides the key from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Format hides the key whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// Config says where the provider is and what to ask of it. A model that is empty
// is not asked for.
type Config struct {
	URL        string // up to and including /v1
	Key        Secret // empty: none is sent
	EmbedModel string
	ChatModel  string

	// Wait, if set, takes the place of waiting between attempts.
	Wait func(context.Context, time.Duration) error
}

// Client asks one provider. It may be used by several goroutines.
type Client struct {
	cfg  Config
	base string
	http *http.Client
}

// New returns a client, or an error that says which setting is wrong.
func New(cfg Config) (*Client, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("HEED_AI_URL: want an address such as https://api.example.com/v1")
	}
	if u.User != nil {
		return nil, errors.New("HEED_AI_URL: holds a user or password; put the key into HEED_AI_KEY")
	}
	if cfg.EmbedModel == "" && cfg.ChatModel == "" {
		return nil, errors.New("HEED_AI_URL is set: name a model in HEED_AI_EMBED_MODEL or HEED_AI_CHAT_MODEL, or both")
	}
	if cfg.Wait == nil {
		cfg.Wait = wait
	}
	return &Client{cfg: cfg, base: strings.TrimRight(cfg.URL, "/"), http: &http.Client{
		// A redirect would carry posts, and perhaps the key, elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Embeds reports whether the provider is to turn texts into vectors.
func (c *Client) Embeds() bool { return c != nil && c.cfg.EmbedModel != "" }

// Names reports whether the provider is to name themes.
func (c *Client) Names() bool { return c != nil && c.cfg.ChatModel != "" }

// ModelID names the model of the vectors, apart from every other provider's.
func (c *Client) ModelID() string {
	u, _ := url.Parse(c.base)
	return "ai:" + u.Host + "/" + c.cfg.EmbedModel
}

// Error is what went wrong with a call after all attempts. It never holds the
// key, nor what was sent.
type Error struct {
	Doing  string
	Status int   // of the last answer; 0: there was none
	Err    error // what else there is to say
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("AI provider: %s: status %d: %v", e.Doing, e.Status, e.Err)
	}
	return fmt.Sprintf("AI provider: %s: %v", e.Doing, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

const (
	attempts  = 4
	firstWait = time.Second
	maxWait   = 30 * time.Second // also for a Retry-After
	perCall   = 60 * time.Second // one attempt, all in all
)

// post sends a request as JSON and decodes the answer, of at most limit bytes,
// into out. It tries again when the provider is busy or does not answer.
func (c *Client) post(ctx context.Context, doing, path string, in, out any, limit int64) error {
	body, err := json.Marshal(in)
	if err != nil {
		return &Error{Doing: doing, Err: err}
	}
	for i := 1; ; i++ {
		status, after, err := c.try(ctx, path, body, out, limit)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if i == attempts || !again(status) {
			return &Error{Doing: doing, Status: status, Err: err}
		}
		if err := c.cfg.Wait(ctx, delay(i, after)); err != nil {
			return err
		}
	}
}

// again reports whether the same request may succeed later. 0 is no answer.
func again(status int) bool {
	return status == 0 || status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// delay is how long to wait after attempt i: longer each time, never in step with
// others, and at least as long as the provider asks for.
func delay(i int, asked time.Duration) time.Duration {
	d := firstWait << (2 * (i - 1))
	d += time.Duration(rand.Int64N(int64(d) / 2))
	return min(max(d, asked), maxWait)
}

func (c *Client) try(ctx context.Context, path string, body []byte, out any, limit int64) (status int, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, perCall)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "heed")
	if c.cfg.Key != "" {
		r.Header.Set("Authorization", "Bearer "+string(c.cfg.Key))
	}
	res, err := c.http.Do(r)
	if err != nil {
		return 0, 0, unquoted(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		// The text of an error may quote what was sent, even the key.
		return res.StatusCode, retryAfter(res.Header.Get("Retry-After")), errors.New(http.StatusText(res.StatusCode))
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	switch {
	case err != nil:
		return 0, 0, unquoted(err)
	case int64(len(answer)) > limit:
		return res.StatusCode, 0, fmt.Errorf("the answer is longer than %d bytes", limit)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return res.StatusCode, 0, errors.New("the answer is not the JSON that was asked for")
	}
	return res.StatusCode, 0, nil
}

// unquoted leaves the URL out of an error: it may hold a token.
func unquoted(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// retryAfter reads seconds; a date is not worth trusting two clocks for.
func retryAfter(s string) time.Duration {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 3600 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// MaxBatch is how many texts go into one request for vectors.
const MaxBatch = 64

const (
	maxText      = 4000 // characters of a text that are sent
	maxDimension = 8192
	vectorBytes  = 1 << 18 // of JSON for one vector
)

// Embed returns the vectors of up to [MaxBatch] texts, in order.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	const doing = "vectors"
	in := struct {
		Model  string   `json:"model"`
		Input  []string `json:"input"`
		Format string   `json:"encoding_format"`
	}{c.cfg.EmbedModel, make([]string, len(texts)), "float"}
	for i, t := range texts {
		// Providers refuse an empty text.
		if in.Input[i] = cut(t, maxText); strings.TrimSpace(t) == "" {
			in.Input[i] = "-"
		}
	}
	var out struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := c.post(ctx, doing, "/embeddings", in, &out, 1<<16+int64(len(texts))*vectorBytes); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for _, d := range out.Data {
		if d.Index < 0 || d.Index >= len(texts) || len(d.Embedding) == 0 || len(d.Embedding) > maxDimension ||
			len(d.Embedding) != len(out.Data[0].Embedding) {
			return nil, &Error{Doing: doing, Status: http.StatusOK, Err: errors.New("the answer does not fit the texts")}
		}
		vectors[d.Index] = d.Embedding
	}
	for _, v := range vectors {
		if v == nil {
			return nil, &Error{Doing: doing, Status: http.StatusOK, Err: errors.New("the answer lacks a vector")}
		}
	}
	return vectors, nil
}

// cut shortens a text to so many characters.
func cut(s string, runes int) string {
	for i := range s {
		if runes--; runes < 0 {
			return s[:i]
		}
	}
	return s
}
