package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"heed/internal/feedback"
	"heed/internal/store"
)

// Discrepancy is something in the database that disagrees with something else
// there.
type Discrepancy struct {
	Check string // what was compared, such as "counters"
	Text  string // what disagrees, and with what
}

func (d Discrepancy) String() string { return d.Check + ": " + d.Text }

// maxDiscrepancies is how many of one kind are listed. Where there are more,
// something general is wrong, and a list of a million rows does not help.
const maxDiscrepancies = 100

// Check compares counters, references, the search index and events with the
// rows they stand for, on all sites, and returns what disagrees. Progress, which
// may be nil, is told what is compared next. Check changes nothing and may run
// beside a working service. It is for the operator.
func (a *App) Check(ctx context.Context, progress func(check string, done, total int)) ([]Discrepancy, error) {
	var found []Discrepancy
	err := a.db.Read(ctx, func(s *store.Tx) error {
		found = nil
		checks, err := s.Checks(ctx)
		if err != nil {
			return err
		}
		step := func(name string, done int) {
			if progress != nil {
				progress(name, done, len(checks)+2)
			}
		}
		for i, c := range checks {
			step(c.Name, i)
			if err := runCheck(ctx, s, c, &found); err != nil {
				return err
			}
		}
		step("search", len(checks))
		if err := a.checkIndexes(ctx, s, &found); err != nil {
			return err
		}
		step("events", len(checks)+1)
		if err := checkEvents(ctx, s, &found); err != nil {
			return err
		}
		step("done", len(checks)+2)
		return nil
	})
	return found, err
}

func runCheck(ctx context.Context, s *store.Tx, c store.Check, found *[]Discrepancy) error {
	lines, err := s.Compare(ctx, c, maxDiscrepancies+1)
	for i, line := range lines {
		if i == maxDiscrepancies {
			line = fmt.Sprintf("more than the %d above", maxDiscrepancies)
		}
		*found = append(*found, Discrepancy{c.Name, line})
	}
	return err
}

// maxProbes is how many posts of a site are looked for by their titles, the
// newest of them. That every post is in the index is checked for all.
const maxProbes = 2000

func (a *App) checkIndexes(ctx context.Context, s *store.Tx, found *[]Discrepancy) error {
	for after := feedback.SiteID(0); ; {
		sites, err := s.AllSites(ctx, after, 1000)
		if err != nil || len(sites) == 0 {
			return err
		}
		for _, site := range sites {
			lost, err := a.db.Unfindable(ctx, site.ID, maxProbes)
			if err != nil {
				return err
			}
			for _, id := range lost[:min(len(lost), maxDiscrepancies)] {
				*found = append(*found, Discrepancy{"search", fmt.Sprintf("posts %s: a search for its title does not find it", id)})
			}
			after = site.ID
		}
	}
}

// checkEvents sees that what listeners get is what the row says it is.
func checkEvents(ctx context.Context, s *store.Tx, found *[]Discrepancy) error {
	wrong := 0
	var site feedback.SiteID
	var after feedback.MessageID
	for {
		page, err := s.AllEvents(ctx, site, after, 1000)
		if err != nil || len(page) == 0 {
			return err
		}
		for i := range page {
			site, after = page[i].SiteID, page[i].ID
			text := faultOf(&page[i])
			if text == "" {
				continue
			}
			if wrong++; wrong > maxDiscrepancies {
				*found = append(*found, Discrepancy{"events", fmt.Sprintf("more than the %d above", maxDiscrepancies)})
				return nil
			}
			*found = append(*found, Discrepancy{"events", fmt.Sprintf("events %s: %s", after, text)})
		}
	}
}

// faultOf says what is wrong with an event, or "".
func faultOf(e *feedback.Event) string {
	var payload struct {
		Type feedback.EventType
		Data struct{ SiteID feedback.SiteID }
	}
	switch err := json.Unmarshal(e.Payload, &payload); {
	case err != nil:
		return "its payload is not the JSON of an event: " + err.Error()
	case !slices.Contains(e.Type.Values(), string(e.Type)):
		return fmt.Sprintf("its type %q is none of ours", e.Type)
	case payload.Type != e.Type:
		return fmt.Sprintf("its type is %q, and its payload says %q", e.Type, payload.Type)
	case payload.Data.SiteID != e.SiteID:
		return fmt.Sprintf("it belongs to %s, and its payload says %s", e.SiteID, payload.Data.SiteID)
	}
	return ""
}
