package api

import (
	"reflect"
	"time"

	"heed/internal/feedback"
	"heed/internal/wire"
)

var deliveryHeaders = []parameter{
	{Name: "webhook-id", In: "header", Required: true, Description: "The message. It is the same on every attempt and redelivery: use it to recognise a repeat.",
		Schema: &schema{Type: "string", Pattern: "^msg_[0-9a-hjkmnp-tv-z]{13}$", Examples: []any{"msg" + sampleDigits}}},
	{Name: "webhook-timestamp", In: "header", Required: true, Description: "When this attempt was made, in Unix seconds. Refuse what is more than five minutes away from your clock.",
		Schema: &schema{Type: "string", Pattern: `^\d+$`, Examples: []any{"1794706450"}}},
	{Name: "webhook-signature", In: "header", Required: true, Description: "One or more signatures, separated by spaces: v1, a comma and the base64 of the HMAC-SHA256 of id.timestamp.body under the endpoint's secret.",
		Schema: &schema{Type: "string", Examples: []any{"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="}}},
}

// webhooks describes what the service sends by itself. The payloads are those of
// the types that are sent.
func webhooks(s *schemas) map[string]map[string]*described {
	at, err := time.Parse(time.RFC3339Nano, sampleTime)
	if err != nil {
		panic(err)
	}
	var site feedback.SiteID
	if err := site.UnmarshalText([]byte(site.Prefix() + sampleDigits)); err != nil {
		panic(err)
	}
	all := map[string]map[string]*described{}
	for _, sample := range wire.Samples(site, at) {
		t := reflect.TypeOf(sample.Event)
		ref := s.of(t)
		for _, p := range s.named[schemaName(t)].Properties {
			if p.name == "type" {
				p.value.Enum, p.value.Examples = []any{string(sample.Type)}, []any{string(sample.Type)}
			}
		}
		all[string(sample.Type)] = map[string]*described{"post": {
			OperationID: schemaName(t), Summary: string(sample.Type), Description: sample.When, Tags: []string{"Extensions"},
			Security: []map[string][]string{}, Parameters: deliveryHeaders,
			RequestBody: &requestBody{Required: true, Content: map[string]mediaType{
				"application/json": {Schema: ref, Example: sample.Event},
			}},
			Responses: map[string]*response{
				"2XX": {Description: "The message arrived. Everything else is a failure and is tried again; redirects are not followed."},
				"410": {Description: "The receiver wants no more messages: the endpoint is disabled."},
			},
		}}
	}
	return all
}
