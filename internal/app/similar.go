package app

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"heed/internal/feedback"
	"heed/internal/store"
)

// PublicSearch lists the posts the public sees that hold all words of a query,
// most relevant first.
func (tx *Tx) PublicSearch(ctx context.Context, in feedback.Search) (feedback.Page[feedback.PublicPost], error) {
	var page feedback.Page[feedback.PublicPost]
	// The index also holds posts of private boards, so a page of matches may
	// come out short; a few more are asked for before that is shown.
	for range 5 {
		found, err := tx.Search(ctx, in)
		if err != nil {
			return page, err
		}
		ids := make([]feedback.PostID, len(found.Items))
		for i, r := range found.Items {
			ids[i] = r.PostID
		}
		posts, err := tx.publicPosts(ctx, ids)
		if err != nil {
			return page, err
		}
		page.Items, page.Next = append(page.Items, posts...), found.Next
		if in.After = found.Next; found.Next == nil || len(page.Items) >= in.Limit/2 {
			break
		}
	}
	return page, nil
}

// similarWords is how many words of a title are looked for, and similarDepth how
// many posts with each.
const (
	similarWords = 6
	similarDepth = 40
)

// fillers are words that say nothing about what is asked for.
var fillers = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for with that this from have has are was can could would should will our your you not
		but when what which into about please add allow make need want like more some any all use using able also there their them
		der die das und oder für mit ein eine einen dem den des ist sind wird kann bitte soll auch auf von zum zur nicht mehr als wenn
		في من على إلى عن مع هذا هذه ذلك أن أو ما لا هل كل`) {
		m[w] = true
	}
	return m
}()

// Similar returns posts that may ask for the same as a title that somebody is
// typing, the likeliest first. It goes by words: a post that shares several of
// the rarer ones is likely. An index of meanings can join here: whatever finds
// candidates, they pass through publicPosts before anybody sees them.
func (tx *Tx) Similar(ctx context.Context, title string, limit int) ([]feedback.PublicPost, error) {
	words := telling(title)
	if len(words) == 0 {
		return nil, nil
	}
	scores := map[feedback.PostID]float64{}
	hits := map[feedback.PostID]int{}
	for _, w := range words {
		found, _, err := tx.s.Search(ctx, tx.site.ID, w, store.SearchPosition{}, similarDepth)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			scores[r.PostID] += 1 / math.Log2(3+float64(len(found)))
			hits[r.PostID]++
		}
	}
	// One word in common is a coincidence, unless there are few to share.
	needed := 1
	if len(words) > 2 {
		needed = 2
	}
	var ids []feedback.PostID
	for id, n := range hits {
		if n >= needed {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b feedback.PostID) int {
		return cmp.Or(cmp.Compare(hits[b], hits[a]), cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a))
	})
	posts, err := tx.publicPosts(ctx, ids[:min(len(ids), 4*limit)])
	return posts[:min(len(posts), limit)], err
}

// telling returns the words of a title that say what is asked for.
func telling(title string) []string {
	var words []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r) && r != '-'
	}) {
		w = strings.Trim(w, "-")
		if utf8.RuneCountInString(w) >= 3 && !fillers[w] && !slices.Contains(words, w) || w != "" && unicode.In([]rune(w)[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			words = append(words, w)
		}
	}
	return words[:min(len(words), similarWords)]
}
