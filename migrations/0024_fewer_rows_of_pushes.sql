-- Takes the place of pending_pushes, whose rows the cron moves. A row without indexes is one written row, not three.
CREATE TABLE `requested_pushes` (
	`pass_id` text NOT NULL,
	`wallet` text NOT NULL,
	`account_id` text NOT NULL,
	`text` text,
	`requested_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`claim` text,
	`attempts` integer NOT NULL,
	`facts` text,
	PRIMARY KEY(`pass_id`, `wallet`)
) WITHOUT ROWID;
