CREATE TABLE `service_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`base_url` text,
	`set_up_at` integer
);
