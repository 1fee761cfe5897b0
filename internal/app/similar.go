package app

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"heed/internal/feedback"
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
// typing, the likeliest first: only those the public sees.
func (tx *Tx) Similar(ctx context.Context, title string, limit int) ([]feedback.PublicPost, error) {
	ids, err := tx.similar(ctx, title, limit, 0)
	if err != nil {
		return nil, err
	}
	posts, err := tx.publicPosts(ctx, ids)
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
	return words[:min(len(words), wordsAsked)]
}
