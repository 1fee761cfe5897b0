package main

import (
	"context"

	"heed/internal/config"
	"heed/internal/worker"
)

type mailCmd struct {
	Try mailTryCmd `cmd:"" help:"Send a test message and show the whole conversation with the server."`
}

type mailTryCmd struct {
	config.Mail
	To string `required:"" env:"HEED_TO" placeholder:"ADDRESS" help:"Who gets the message."`
}

// Run sends a test message.
func (c *mailTryCmd) Run(ctx context.Context, io stdio) error {
	return worker.TryMail(ctx, io.out, c.SMTPURL, c.MailFrom, c.To)
}
