package dashboard

import "strings"

// browserName says which browser and system a user agent names, as well as such
// a text can be trusted.
func browserName(agent string) string {
	find := func(names ...[2]string) string {
		for _, n := range names {
			if strings.Contains(agent, n[0]) {
				return n[1]
			}
		}
		return ""
	}
	// The first that fits: most browsers also call themselves another.
	browser := find([2]string{"Edg/", "Edge"}, [2]string{"OPR/", "Opera"}, [2]string{"Firefox/", "Firefox"},
		[2]string{"Chrome/", "Chrome"}, [2]string{"Safari/", "Safari"}, [2]string{"curl/", "curl"})
	system := find([2]string{"Android", "Android"}, [2]string{"iPhone", "iPhone"}, [2]string{"iPad", "iPad"},
		[2]string{"Windows", "Windows"}, [2]string{"Mac OS X", "macOS"}, [2]string{"Linux", "Linux"})
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	case system != "":
		return system
	}
	return "Unknown browser"
}
