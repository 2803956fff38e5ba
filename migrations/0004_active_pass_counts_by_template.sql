-- An account's number does not say of which templates its passes are: the counts begin anew from the passes.
DROP TABLE `active_pass_counts`;
--> statement-breakpoint
CREATE TABLE `active_pass_counts` (
	`account_id` text NOT NULL,
	`template_id` text NOT NULL,
	`active` integer NOT NULL,
	PRIMARY KEY(`account_id`, `template_id`)
);
--> statement-breakpoint
INSERT INTO `active_pass_counts` (`account_id`, `template_id`, `active`)
SELECT `account_id`, `template_id`, count(*) FROM `passes` WHERE `number_of_active` > 0
GROUP BY 1, 2;
