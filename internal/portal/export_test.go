package portal

import "heed/internal/i18n"

// Catalog is the texts of the portal, for tests.
func Catalog() *i18n.Catalog { return catalog }

// DrawCard draws the picture of a page, for tests.
var DrawCard = drawCard
