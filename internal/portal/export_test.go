package portal

import "heed/internal/i18n"

// Catalog is the texts of the portal, for tests.
func Catalog() *i18n.Catalog { return catalog }
