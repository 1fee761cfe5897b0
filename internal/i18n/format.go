package i18n

import (
	"strconv"
	"strings"
	"time"
)

// formats is how a language writes what is not a text.
type formats struct {
	Name   string            `json:"name"`
	Dir    string            `json:"dir"`
	Group  string            `json:"group"` // between thousands
	Months [12]string        `json:"months"`
	Short  [12]string        `json:"short"` // months
	Date   string            `json:"date"`  // {d} {month} {y}
	Time   string            `json:"time"`  // {date} {clock}
	Now    string            `json:"now"`
	Ago    map[string]plural `json:"ago"` // minutes, hours, days
}

type plural map[string]string

// plurals are the rules of CLDR for whole numbers.
var plurals = map[string]func(int) string{"en": oneOther, "de": oneOther, "ar": arabic}

// pluralForms are the forms each rule can give.
var pluralForms = map[string][]string{
	"en": {"one", "other"}, "de": {"one", "other"},
	"ar": {"zero", "one", "two", "few", "many", "other"},
}

func oneOther(n int) string {
	if n == 1 {
		return "one"
	}
	return "other"
}

func arabic(n int) string {
	if n < 0 {
		n = -n
	}
	switch {
	case n == 0:
		return "zero"
	case n == 1:
		return "one"
	case n == 2:
		return "two"
	case n%100 >= 3 && n%100 <= 10:
		return "few"
	case n%100 >= 11:
		return "many"
	}
	return "other"
}

// Number writes a whole number with its thousands apart.
func (l *Locale) Number(n int) string {
	s := strconv.Itoa(n)
	if n > -1000 && n < 1000 {
		return s
	}
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	var parts []string
	for len(s) > 3 {
		parts = append([]string{s[len(s)-3:]}, parts...)
		s = s[:len(s)-3]
	}
	return sign + strings.Join(append([]string{s}, parts...), l.formats.Group)
}

// Date writes a day: 12 November 2026.
func (l *Locale) Date(t time.Time) string { return l.date(t, l.formats.Months) }

// ShortDate writes a day in little room: 12 Nov 2026.
func (l *Locale) ShortDate(t time.Time) string { return l.date(t, l.formats.Short) }

func (l *Locale) date(t time.Time, months [12]string) string {
	return l.fill(l.formats.Date, []any{"d", t.Day(), "month", months[t.Month()-1], "y", t.Year()})
}

// Time writes a moment: 12 Nov 2026, 09:31.
func (l *Locale) Time(t time.Time) string {
	return l.fill(l.formats.Time, []any{"date", l.ShortDate(t), "clock", t.Format("15:04")})
}

// Ago writes how long before now t was, and the day itself beyond four weeks.
func (l *Locale) Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return l.formats.Now
	case d < time.Hour:
		return l.ago("minutes", int(d/time.Minute))
	case d < 24*time.Hour:
		return l.ago("hours", int(d/time.Hour))
	case d < 28*24*time.Hour:
		return l.ago("days", int(d/(24*time.Hour)))
	}
	return l.ShortDate(t)
}

func (l *Locale) ago(unit string, n int) string {
	forms := l.formats.Ago[unit]
	form, ok := forms[l.plural(n)]
	if !ok {
		form = forms["other"]
	}
	return l.fill(form, []any{"n", l.Number(n)})
}
