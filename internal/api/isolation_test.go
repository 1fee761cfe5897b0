package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heed/internal/auth"
	"heed/internal/feedback"
)

// testIsolation crosses every operation of the document with every kind of key
// and every kind of id in every place where one stands.
func testIsolation(t *testing.T, w *world) {
	own, sibling := w.newPlace(t).fixture(t), w.newPlace(t).fixture(t)
	foreign := w.placeAt(t, w.southSite, w.southKey).fixture(t)
	siblingKey := w.newKey(t, sibling.id, feedback.NewKey{Scopes: feedback.AllScopes()})
	ownKey := w.newKey(t, own.id, feedback.NewKey{Scopes: feedback.AllScopes()})
	lacking, only := map[string]string{}, map[string]string{}
	for _, s := range feedback.AllScopes() {
		rest := slices.DeleteFunc(feedback.AllScopes(), func(o feedback.Scope) bool { return o == s })
		lacking[string(s)] = w.newKey(t, "", feedback.NewKey{Scopes: rest})
		only[string(s)] = w.newKey(t, "", feedback.NewKey{Scopes: []feedback.Scope{s}})
	}
	unknown := &fixture{ids: map[string]string{}}
	for name, id := range own.ids {
		prefix, digits, _ := strings.Cut(id, "_")
		unknown.ids[name] = prefix + "_" + strings.Repeat("0", len(digits)-1) + "1"
	}

	for _, op := range w.doc.ops {
		t.Run(op.id, func(t *testing.T) {
			where := own.positions(t, op)
			// Those without an id show what is the key's own, and nothing else.
			aboutNothing := len(where) == 0
			byRun := slices.Contains(where, position{"path", "runId"})
			send := func(key string, ids map[position]string) *response {
				t.Helper()
				q := own.request(op, ids)
				q.key = key
				return w.do(t, q)
			}
			want := func(name string, res *response, status int, code string) {
				t.Helper()
				if res.status != status || res.code() != code {
					t.Errorf("%s: %d %s; want %d %s", name, res.status, res.raw, status, code)
				}
			}

			for name, key := range map[string]string{
				"no key": "-", "junk": "junk", "a key of ours that never was": auth.NewKey(), "revoked": w.revoked, "expired": w.expired,
				"cut off": w.all[:len(w.all)-1], "other case": strings.ToUpper(w.all), "an id": own.id,
			} {
				want(name, send(key, nil), 401, "UNAUTHENTICATED")
			}
			want("FREE plan", send(w.freeKey, nil), 402, "UPGRADE_REQUIRED")
			res := send(lacking[op.scope], nil)
			want("without its scope", res, 403, "SCOPE_REQUIRED")
			if res.details()["requiredScope"] != op.scope {
				t.Errorf("the missing scope is said to be %v; want %s", res.details()["requiredScope"], op.scope)
			}
			if aboutNothing {
				for _, key := range []string{w.southKey, siblingKey} {
					res := send(key, nil)
					if res.status != 200 || strings.Contains(string(res.raw), own.id) {
						t.Errorf("with the key of others = %d %s", res.status, res.raw)
					}
				}
			} else {
				want("other account", send(w.southKey, nil), 404, "NOT_FOUND")
				want("pinned to the sibling", send(siblingKey, nil), 403, "SITE_FORBIDDEN")
			}

			for _, pos := range where {
				others := []position{}
				for _, p := range where {
					if p != pos {
						others = append(others, p)
					}
				}
				for kind, f := range map[string]*fixture{"sibling": sibling, "foreign": foreign, "unknown": unknown} {
					name := fmt.Sprintf("%s %s of %s", kind, pos.name, pos.in)
					ids := map[position]string{pos: f.ids[pos.name]}
					namesSite := pos.name == "siteId" || byRun && pos.name == "runId"
					switch {
					case !namesSite:
						res := send("", ids)
						want(name, res, 404, "NOT_FOUND")
						if id := f.ids[pos.name]; res.details()["id"] != id {
							t.Errorf("%s: details %v; want the id %s", name, res.details(), id)
						}
						if field, _ := res.details()["field"].(string); (field != "") != (pos.in != "path") || field != "" && !strings.HasPrefix(field, pos.name) {
							t.Errorf("%s: details.field = %q", name, field)
						}
						// Nobody can tell what is another's from what is not there.
						other := send("", map[position]string{pos: unknown.ids[pos.name]})
						if a, b := strings.ReplaceAll(string(res.raw), f.ids[pos.name], "*"), strings.ReplaceAll(string(other.raw), unknown.ids[pos.name], "*"); a != b {
							t.Errorf("%s: %s; want what an unknown one gets: %s", name, a, b)
						}
					case kind != "sibling":
						want(name, send("", ids), 404, "NOT_FOUND")
					case len(others) > 0:
						// The key may work there, but what else is named is not there.
						want(name, send("", ids), 404, "NOT_FOUND")
					default:
						if res := send("", ids); res.status >= 300 {
							t.Errorf("%s: %d %s; want it done on the sibling", name, res.status, res.raw)
						}
					}
					if !namesSite {
						continue
					}
					if pos.name == "siteId" || kind == "sibling" {
						want(name+", pinned", send(ownKey, ids), 403, "SITE_FORBIDDEN")
					} else {
						want(name+", pinned", send(ownKey, ids), 404, "NOT_FOUND")
					}
				}
				for _, nonsense := range []string{"x", "0", "null", "site_", "%", "é", strings.Repeat("9", 300), "' OR 1=1 --", "\u202e", own.ids[pos.name] + "0", strings.ToUpper(own.ids[pos.name])} {
					key, status, code := "", 404, "NOT_FOUND"
					want(fmt.Sprintf("%s = %.20q", pos.name, nonsense), send(key, map[position]string{pos: nonsense}), status, code)
				}
				// An id of another kind is no id of this kind.
				for _, name := range []string{"siteId", "postId", "boardId", "runId", "statusId"} {
					if strings.Split(own.ids[name], "_")[0] != strings.Split(own.ids[pos.name], "_")[0] {
						want(name+" as "+pos.name, send("", map[position]string{pos: own.ids[name]}), 404, "NOT_FOUND")
					}
				}
			}

			// With its own ids, all is well, for a key of this scope alone and for
			// one that is pinned here.
			for _, key := range []string{only[op.scope], ""} {
				f := own
				if op.method != "GET" {
					f = w.newPlace(t).fixture(t)
				}
				q := f.request(op, nil)
				if q.key = key; key == "" {
					q.key = w.newKey(t, f.id, feedback.NewKey{Scopes: feedback.AllScopes()})
				}
				if res := w.do(t, q); res.status != w.doc.success(op.id) {
					t.Errorf("with own ids: %d %s", res.status, res.raw)
				}
			}
		})
	}
}
