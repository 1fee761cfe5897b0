package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// visitors is how many people look at the board, each with votes of their own:
// what one of them gets cannot have been kept from another. They are few, since
// the portal takes only so many votes at once from one address.
const visitors, votesEach = 8, 3

var postRow = regexp.MustCompile(`<li id="(post_[0-9a-z]+)"`)

// portalCases are the board of fifty posts, for somebody without a cookie and
// for visitors who have voted.
func (b *bench) portalCases() ([]testCase, error) {
	home := "/p/" + b.slug
	board := func() (string, string, string) { return "GET", home + "/", "" }
	cookies, err := b.visit("http://" + b.server.addr + home)
	if err != nil {
		return nil, err
	}
	return []testCase{
		{name: "board", status: 200, next: board},
		{name: "board, visitor", status: 200, next: board, header: func() string { return "Cookie: " + cookies[rand.IntN(len(cookies))] + "\r\n" }},
	}, nil
}

// visit has visitors vote for posts of the board and returns their cookies.
func (b *bench) visit(home string) (cookies []string, err error) {
	res, err := http.Get(home + "/")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	rows := postRow.FindAllSubmatch(page, -1)
	if len(rows) < 50 {
		return nil, fmt.Errorf("the board shows %d posts; want 50", len(rows))
	}
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i := range visitors {
		cookie := ""
		for k := 0; k < votesEach; {
			row := rows[(i*7+k*11+rand.IntN(5))%len(rows)][1]
			r, err := http.NewRequest("POST", home+"/posts/"+string(row)+"/vote", strings.NewReader(url.Values{"vote": {"on"}}.Encode()))
			if err != nil {
				return nil, err
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if cookie != "" {
				r.Header.Set("Cookie", cookie)
			}
			res, err := stay.Do(r)
			if err != nil {
				return nil, err
			}
			res.Body.Close()
			if c := res.Header.Get("Set-Cookie"); c != "" {
				cookie, _, _ = strings.Cut(c, ";")
			}
			if res.StatusCode != http.StatusSeeOther && res.StatusCode != http.StatusConflict {
				return nil, fmt.Errorf("vote: %s", res.Status)
			}
			k++
		}
		cookies = append(cookies, cookie)
	}
	return cookies, nil
}
