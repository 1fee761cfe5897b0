package portal

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/sync/singleflight"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// A list of posts is the same for everybody, but for the account in the header
// and the vote buttons. So it is rendered once with holes in these places, and
// filled for each reader. It is kept while nothing is written anywhere, so that
// what one does, one sees at once; and for a second at most, because it says how
// long ago things were.

// common is what everybody sees of a page.
type common struct {
	moment string
	until  time.Time
	sum    string   // of chunks and holes
	chunks [][]byte // one more than there are holes
	holes  []hole
	posts  []feedback.PostID // in the order of their holes

	// The page as most see it, who have voted for none of it: to nobody in
	// particular, and to a visitor who has not signed in.
	plain [2]atomic.Pointer[web.Page]
}

// hole is a place that is filled for each reader: the account, or a vote.
type hole struct {
	vote  *web.Vote // nil: the account
	empty []byte    // not voted
	full  atomic.Pointer[[]byte]
}

// commons are the pages that were asked for lately.
type commons struct {
	mu     sync.Mutex
	all    map[string]*common
	making singleflight.Group
}

const (
	commonTime = time.Second
	maxCommons = 64
)

// get returns a page of a moment. Of those who ask for one that is not there, one
// makes it and the others wait: when a page of a busy site has had its time, all
// of them would ask for it at once.
func (k *commons) get(key, moment string, now time.Time, make func() (*common, error)) (*common, error) {
	if c := k.find(key, moment, now); c != nil {
		return c, nil
	}
	c, err, _ := k.making.Do(key+" "+moment, func() (any, error) {
		c, err := make()
		if err == nil {
			k.keep(key, c, now)
		}
		return c, err
	})
	if err != nil {
		return nil, err
	}
	return c.(*common), nil
}

func (k *commons) find(key, moment string, now time.Time) *common {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c := k.all[key]; c != nil && c.moment == moment && now.Before(c.until) {
		return c
	}
	return nil
}

func (k *commons) keep(key string, c *common, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[string]*common{}
	}
	if len(k.all) >= maxCommons {
		for key, old := range k.all {
			if !now.Before(old.until) {
				delete(k.all, key)
			}
		}
		if len(k.all) >= maxCommons {
			clear(k.all)
		}
	}
	k.all[key] = c
}

// mark stands where a hole is while a page is rendered. Nobody can write it.
var mark = sync.OnceValue(func() string {
	var b [16]byte
	rand.Read(b[:])
	return "<hole " + hex.EncodeToString(b[:]) + ">"
})

// hole shows c; while a page for everybody is rendered it leaves a hole there.
func (v *visit) hole(vote *web.Vote, c templ.Component) templ.Component {
	if v.holes == nil {
		return c
	}
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var b bytes.Buffer
		if vote != nil {
			if err := c.Render(ctx, &b); err != nil {
				return err
			}
		}
		*v.holes = append(*v.holes, hole{vote: vote, empty: b.Bytes()})
		_, err := io.WriteString(w, mark())
		return err
	})
}

// render makes the page of a list for everybody.
func (p *boardPage) render(ctx context.Context) (*common, error) {
	c := &common{moment: p.portal.Moment, until: p.now.Add(commonTime)}
	p.holes = &c.holes
	var b bytes.Buffer
	if err := boardView(p).Render(ctx, &b); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	c.chunks = bytes.Split(b.Bytes(), []byte(mark()))
	if len(c.chunks) != len(c.holes)+1 {
		return nil, fmt.Errorf("render: %d holes in %d chunks", len(c.holes), len(c.chunks))
	}
	sum := sha256.New()
	sum.Write(b.Bytes())
	for i := range c.holes {
		sum.Write(c.holes[i].empty)
	}
	c.sum = base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
	for _, list := range [][]feedback.PublicPost{p.pinned, p.posts} {
		for i := range list {
			c.posts = append(c.posts, list[i].ID)
		}
	}
	return c, nil
}

// send fills the page for whoever looks.
func (c *common) send(v *visit, w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	if v.visitor == nil {
		// The same for everybody who has not written yet.
		h.Set("Cache-Control", "private, max-age=0, must-revalidate")
	}
	var voted map[feedback.PostID]bool
	if v.visitor != nil {
		err := v.read(r, func(tx *app.Tx) (err error) {
			voted, err = tx.VotedFor(r.Context(), c.posts)
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(voted) > 0 || v.known() {
		return c.sendFilled(v, w, r, voted)
	}
	kind := 0
	if v.visitor != nil {
		kind = 1
	}
	page := c.plain[kind].Load()
	if page == nil {
		var b bytes.Buffer
		tag, err := c.fill(&b, v, r.Context(), nil)
		if err != nil {
			return err
		}
		page = web.NewPage(tag, b.Bytes())
		c.plain[kind].Store(page)
	}
	page.Send(w, r)
	return nil
}

var filled = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (c *common) sendFilled(v *visit, w http.ResponseWriter, r *http.Request, voted map[feedback.PostID]bool) error {
	b := filled.Get().(*bytes.Buffer)
	defer filled.Put(b)
	b.Reset()
	tag, err := c.fill(b, v, r.Context(), voted)
	if err != nil {
		return err
	}
	web.SendTagged(w, r, tag, b.Bytes())
	return nil
}

// fill writes the page for a reader and returns its tag.
func (c *common) fill(b *bytes.Buffer, v *visit, ctx context.Context, voted map[feedback.PostID]bool) (tag string, err error) {
	var mine strings.Builder
	mine.WriteString(c.sum)
	n := 0
	for i := range c.holes {
		b.Write(c.chunks[i])
		h := &c.holes[i]
		if h.vote == nil {
			from := b.Len()
			if err := account(v).Render(ctx, b); err != nil {
				return "", fmt.Errorf("render: %w", err)
			}
			sum := sha256.Sum256(b.Bytes()[from:])
			mine.WriteString(base64.RawURLEncoding.EncodeToString(sum[:6]))
			continue
		}
		post := c.posts[n]
		n++
		if !voted[post] {
			b.Write(h.empty)
			continue
		}
		fmt.Fprintf(&mine, ".%d", n)
		full, err := h.voted(ctx)
		if err != nil {
			return "", err
		}
		b.Write(full)
	}
	b.Write(c.chunks[len(c.chunks)-1])
	return mine.String(), nil
}

// voted is the button of a post that the reader has voted for.
func (h *hole) voted(ctx context.Context) ([]byte, error) {
	if b := h.full.Load(); b != nil {
		return *b, nil
	}
	vote := *h.vote
	vote.Voted = true
	var b bytes.Buffer
	if err := web.VoteButton(vote).Render(ctx, &b); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	all := b.Bytes()
	h.full.Store(&all)
	return all, nil
}
