package feedback

// The bounds of a page of a list.
const (
	MinLimit     = 1
	MaxLimit     = 100
	DefaultLimit = 50
)
