package store

// Findable reports whether there is a word in a text, so that a search for it
// can find something.
func Findable(text string) bool { return len(parseQuery(text)) > 0 }
