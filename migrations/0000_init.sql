CREATE TABLE `account_contacts` (
	`account_id` text PRIMARY KEY NOT NULL,
	`contact` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`language` text DEFAULT 'en' NOT NULL,
	`logo_url` text,
	`icon_url` text,
	`user_provided_links` integer DEFAULT true NOT NULL,
	`reply_to` text,
	`parent_account_id` text,
	`max_active_passes` integer,
	`has_webhooks` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `accounts_by_parent` ON `accounts` (`parent_account_id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`lookup` text NOT NULL,
	`secret_digest` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`expires_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_lookup_unique` ON `api_keys` (`lookup`);--> statement-breakpoint
CREATE INDEX `api_keys_by_account` ON `api_keys` (`account_id`,`id`);--> statement-breakpoint
CREATE TABLE `app_configuration_links` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`configuration_id` text NOT NULL,
	`token_digest` text NOT NULL,
	`secrets` text NOT NULL,
	`can_change_config` integer NOT NULL,
	`valid_to_at` integer NOT NULL,
	`used_at` integer,
	`pin_failures` integer DEFAULT 0 NOT NULL,
	`pin_locked_until_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `app_configuration_links_by_configuration` ON `app_configuration_links` (`account_id`,`configuration_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `app_configuration_links_by_token` ON `app_configuration_links` (`token_digest`);--> statement-breakpoint
CREATE TABLE `app_configurations` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`scan_mode` integer NOT NULL,
	`type` integer NOT NULL,
	`place` text NOT NULL,
	`pass_template_id` text,
	`pass_template_ids` text,
	`additional_properties` text NOT NULL,
	`background_color` text,
	`text_color` text,
	`time_to_show_auto_save_confirmation` integer NOT NULL,
	`show_stored_value` integer NOT NULL,
	`increment_stored_value` integer NOT NULL,
	`prevent_negative_numeric_values` integer NOT NULL,
	`prevent_negative_stored_value_balance` integer NOT NULL,
	`scan_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `app_configurations_by_account` ON `app_configurations` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `app_configurations_by_deletion` ON `app_configurations` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE TABLE `app_scans` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`configuration_id` text NOT NULL,
	`link_id` text,
	`client_id` text,
	`pass_id` text,
	`scan_status` integer NOT NULL,
	`reason` text NOT NULL,
	`scanned_barcode_value` text,
	`device_name` text,
	`additional_properties` text NOT NULL,
	`stored_value` real,
	`has_voided` integer NOT NULL,
	`stored_value_before` real,
	`stored_value_after` real,
	`previous_scan_id` text,
	`previous_usage_at` integer,
	`place` text,
	`previous_place_usage_at` integer,
	`created_at` integer NOT NULL,
	`undone_at` integer
);
--> statement-breakpoint
CREATE INDEX `app_scans_by_account` ON `app_scans` (`account_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `app_scans_by_configuration` ON `app_scans` (`configuration_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `app_scans_by_pass` ON `app_scans` (`pass_id`,`created_at`) WHERE pass_id is not null;--> statement-breakpoint
CREATE INDEX `app_scans_by_link` ON `app_scans` (`link_id`,`id`) WHERE link_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `app_scans_by_client_id` ON `app_scans` (`account_id`,`client_id`) WHERE client_id is not null;--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`email` text NOT NULL,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`outcome` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_entries_by_account` ON `audit_entries` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_by_age` ON `audit_entries` (`created_at`);--> statement-breakpoint
CREATE TABLE `certificates` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`pass_type_id` text NOT NULL,
	`team_id` text NOT NULL,
	`certificate_pem` text NOT NULL,
	`intermediate_pem` text NOT NULL,
	`private_key_sealed` text NOT NULL,
	`development` integer NOT NULL,
	`push` text,
	`preferred` integer DEFAULT false NOT NULL,
	`valid_from` integer NOT NULL,
	`valid_to` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `certificates_by_pass_type` ON `certificates` (`account_id`,`pass_type_id`,`valid_to`);--> statement-breakpoint
CREATE INDEX `certificates_by_account` ON `certificates` (`account_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `google_issuers` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`issuer_id` text NOT NULL,
	`client_email` text NOT NULL,
	`private_key_sealed` text NOT NULL,
	`development` integer NOT NULL,
	`stand_in_url` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `google_issuers_by_account` ON `google_issuers` (`account_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`failed_at` integer NOT NULL,
	`due_at` integer
);
--> statement-breakpoint
CREATE INDEX `dead_letters_by_account` ON `dead_letters` (`account_id`,`failed_at`,`id`);--> statement-breakpoint
CREATE INDEX `dead_letters_by_age` ON `dead_letters` (`failed_at`,`id`);--> statement-breakpoint
CREATE INDEX `dead_letters_due` ON `dead_letters` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `events` (
	`key` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`type` text NOT NULL,
	`template_id` text,
	`pass_id` text,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`pending` integer,
	`subscription_id` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_id_unique` ON `events` (`id`);--> statement-breakpoint
CREATE INDEX `events_by_account` ON `events` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `events_by_pass` ON `events` (`pass_id`,`created_at`) WHERE pass_id is not null;--> statement-breakpoint
CREATE INDEX `events_pending` ON `events` (`pending`) WHERE pending is not null;--> statement-breakpoint
CREATE TABLE `google_classes` (
	`id` text PRIMARY KEY NOT NULL,
	`digest` text,
	`claim` text NOT NULL,
	`sent_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `google_classes_by_sending` ON `google_classes` (`sent_at`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`account_id` text NOT NULL,
	`key` text NOT NULL,
	`request_digest` text NOT NULL,
	`status` integer,
	`headers` text,
	`body` text,
	`started_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_start` ON `idempotency_keys` (`started_at`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`pass_id` text NOT NULL,
	`template_id` text NOT NULL,
	`channel` text NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`subject` text,
	`status` text NOT NULL,
	`status_details` text,
	`provider_id` text,
	`attempts` integer NOT NULL,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`submitted_at` integer
);
--> statement-breakpoint
CREATE INDEX `messages_due` ON `messages` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `messages_by_pass` ON `messages` (`pass_id`);--> statement-breakpoint
CREATE INDEX `messages_by_account` ON `messages` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `messages_failed` ON `messages` (`account_id`,`id`) WHERE status = 'failed';--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`template_id` text NOT NULL,
	`publication_at` integer NOT NULL,
	`text` text,
	`version` integer,
	`state` text NOT NULL,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`executed_at` integer,
	`taken_over_at` integer
);
--> statement-breakpoint
CREATE INDEX `notifications_due` ON `notifications` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `notifications_by_template` ON `notifications` (`template_id`,`state`,`publication_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_scheduled_publication` ON `notifications` (`template_id`) WHERE version is not null and state = 'scheduled';--> statement-breakpoint
CREATE TABLE `outbox_items` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`details` text NOT NULL,
	`files` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `active_pass_counts` (
	`account_id` text PRIMARY KEY NOT NULL,
	`active` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `bundle_links` (
	`account_id` text NOT NULL,
	`bundle_id` text NOT NULL,
	`page_token` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `bundle_id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bundle_links_by_page_token` ON `bundle_links` (`page_token`);--> statement-breakpoint
CREATE TABLE `pass_documents` (
	`key` integer PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	`fields` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pass_tombstones` (
	`pass_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`deleted_at` integer NOT NULL,
	`google_kind` text,
	`google_due_at` integer
);
--> statement-breakpoint
CREATE INDEX `pass_tombstones_by_deletion` ON `pass_tombstones` (`deleted_at`);--> statement-breakpoint
CREATE INDEX `pass_tombstones_by_google` ON `pass_tombstones` (`google_due_at`) WHERE google_due_at is not null;--> statement-breakpoint
CREATE TABLE `passes` (
	`key` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`template_id` text NOT NULL,
	`template_version` integer NOT NULL,
	`user_provided_id` text,
	`generated_id` text NOT NULL,
	`barcode_value` text NOT NULL,
	`barcode_alternative_text` text,
	`voided` integer DEFAULT false NOT NULL,
	`redeemed` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`stored_value` real,
	`expiration_at` integer,
	`relevant_at` integer,
	`valid_as_of_at` integer,
	`grouping_identifier` text,
	`bundle_id` text,
	`bundle_page_token` text,
	`email_recipient` text,
	`phone_recipient` text,
	`download_pin` text,
	`pin_failures` integer DEFAULT 0 NOT NULL,
	`pin_locked_until_at` integer,
	`properties` text NOT NULL,
	`appearance` text NOT NULL,
	`flight` text,
	`places_used_at` text,
	`last_usage_at` integer,
	`last_scan_id` text,
	`download_enabled_until_at` integer,
	`number_of_active` integer DEFAULT 0 NOT NULL,
	`number_of_inactive` integer DEFAULT 0 NOT NULL,
	`number_of_printed` integer DEFAULT 0 NOT NULL,
	`first_downloaded_at` integer,
	`google_published_at` integer,
	`google_kind` text,
	`google_has_messages` integer DEFAULT false NOT NULL,
	`push_text` text,
	`page_token` text NOT NULL,
	`file_token` text NOT NULL,
	`authentication_token` text NOT NULL,
	`created_at` integer NOT NULL,
	`modified_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passes_id_unique` ON `passes` (`id`);--> statement-breakpoint
CREATE INDEX `passes_by_template` ON `passes` (`template_id`,`id`);--> statement-breakpoint
CREATE INDEX `passes_active_by_template` ON `passes` (`template_id`,`number_of_active`) WHERE number_of_active > 0;--> statement-breakpoint
CREATE INDEX `passes_active_keys_by_template` ON `passes` (`template_id`) WHERE number_of_active > 0;--> statement-breakpoint
CREATE INDEX `passes_at_google_by_template` ON `passes` (`template_id`) WHERE google_published_at is not null;--> statement-breakpoint
CREATE INDEX `passes_by_template_modified` ON `passes` (`template_id`,`modified_at`,`id`);--> statement-breakpoint
CREATE INDEX `passes_by_user_provided_id` ON `passes` (`account_id`,`user_provided_id`,"id" desc) WHERE user_provided_id is not null;--> statement-breakpoint
CREATE INDEX `passes_by_barcode_value` ON `passes` (`account_id`,`barcode_value`,"id" desc);--> statement-breakpoint
CREATE UNIQUE INDEX `passes_by_generated_id` ON `passes` (`account_id`,`generated_id`);--> statement-breakpoint
CREATE INDEX `passes_by_bundle` ON `passes` (`account_id`,`bundle_id`,`id`) WHERE bundle_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `passes_by_page_token` ON `passes` (`page_token`);--> statement-breakpoint
CREATE INDEX `passes_inactive_by_template` ON `passes` (`template_id`) WHERE number_of_inactive > 0;--> statement-breakpoint
CREATE INDEX `passes_printed_by_template` ON `passes` (`template_id`) WHERE number_of_printed > 0;--> statement-breakpoint
CREATE INDEX `passes_by_template_last_usage` ON `passes` (`template_id`,`last_usage_at`) WHERE last_usage_at is not null;--> statement-breakpoint
CREATE INDEX `passes_by_template_first_download` ON `passes` (`template_id`,`first_downloaded_at`) WHERE first_downloaded_at is not null;--> statement-breakpoint
CREATE TABLE `unique_property_values` (
	`template_id` text NOT NULL,
	`property_id` text NOT NULL,
	`value` text NOT NULL,
	`pass_id` text NOT NULL,
	PRIMARY KEY(`template_id`, `property_id`, `value`)
);
--> statement-breakpoint
CREATE INDEX `unique_property_values_by_pass` ON `unique_property_values` (`pass_id`);--> statement-breakpoint
CREATE TABLE `applied_items` (
	`process_id` text NOT NULL,
	`first_item` integer NOT NULL,
	`items` text NOT NULL,
	PRIMARY KEY(`process_id`, `first_item`)
);
--> statement-breakpoint
CREATE TABLE `processes` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`total` integer NOT NULL,
	`current` integer NOT NULL,
	`failed` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`mirrored_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `processes_by_account` ON `processes` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `processes_open` ON `processes` (`mirrored_at`) WHERE finished_at is null;--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `projects_by_account` ON `projects` (`account_id`,`id`);--> statement-breakpoint
CREATE TABLE `pending_pushes` (
	`pass_id` text NOT NULL,
	`wallet` text NOT NULL,
	`account_id` text NOT NULL,
	`text` text,
	`requested_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`claim` text,
	`attempts` integer NOT NULL,
	PRIMARY KEY(`pass_id`, `wallet`)
);
--> statement-breakpoint
CREATE INDEX `pending_pushes_due` ON `pending_pushes` (`due_at`);--> statement-breakpoint
CREATE TABLE `push_fan_outs` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`template_id` text,
	`text` text,
	`version` integer,
	`version_before` integer,
	`cursor` integer NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer,
	`claim` text
);
--> statement-breakpoint
CREATE INDEX `push_fan_outs_due` ON `push_fan_outs` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `push_pages` (
	`fan_out_id` text NOT NULL,
	`number` integer NOT NULL,
	`last` integer NOT NULL,
	`keys` text NOT NULL,
	`is_written` integer NOT NULL,
	`requested_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`claim` text,
	`attempts` integer NOT NULL,
	PRIMARY KEY(`fan_out_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `push_pages_due` ON `push_pages` (`due_at`);--> statement-breakpoint
CREATE TABLE `registrations` (
	`device_id` text NOT NULL,
	`pass_type_id` text NOT NULL,
	`pass_id` text NOT NULL,
	`account_id` text NOT NULL,
	`push_token` text,
	`registered_at` integer NOT NULL,
	`ended_at` integer,
	`saves` integer,
	PRIMARY KEY(`device_id`, `pass_type_id`, `pass_id`)
);
--> statement-breakpoint
CREATE INDEX `registrations_by_pass` ON `registrations` (`pass_id`);--> statement-breakpoint
CREATE TABLE `taken_callbacks` (
	`pass_id` text NOT NULL,
	`nonce` text NOT NULL,
	`taken_by` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`pass_id`, `nonce`)
);
--> statement-breakpoint
CREATE INDEX `taken_callbacks_by_expiry` ON `taken_callbacks` (`expires_at`);--> statement-breakpoint
CREATE TABLE `segments` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`title` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer
);
--> statement-breakpoint
CREATE INDEX `segments_by_account` ON `segments` (`account_id`,`expires_at`,`id`);--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`public_key_pem` text NOT NULL,
	`private_key_sealed` text NOT NULL,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `signing_keys_active` ON `signing_keys` (`account_id`) WHERE active = 1;--> statement-breakpoint
CREATE INDEX `signing_keys_by_account` ON `signing_keys` (`account_id`,`id`);--> statement-breakpoint
CREATE TABLE `counted_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`last_event_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `hourly_counts` (
	`account_id` text NOT NULL,
	`metric` text NOT NULL,
	`hour_at` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`account_id`, `metric`, `hour_at`)
);
--> statement-breakpoint
CREATE TABLE `template_deletions` (
	`template_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`published_version` integer NOT NULL,
	`resumed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `template_versions` (
	`template_id` text NOT NULL,
	`version` integer NOT NULL,
	`definition` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`template_id`, `version`)
);
--> statement-breakpoint
CREATE TABLE `templates` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`project_id` text,
	`user_provided_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`published_version` integer DEFAULT 1 NOT NULL,
	`published_at` integer NOT NULL,
	`unique_properties` text NOT NULL,
	`pass_count` integer DEFAULT 0 NOT NULL,
	`next_custom_number` integer,
	`created_at` integer NOT NULL,
	`modified_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `templates_by_account` ON `templates` (`account_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `templates_by_user_provided_id` ON `templates` (`account_id`,`user_provided_id`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`user_id` text NOT NULL,
	`account_id` text NOT NULL,
	`privileges` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `account_id`)
);
--> statement-breakpoint
CREATE INDEX `memberships_by_account` ON `memberships` (`account_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`rotated_at` integer NOT NULL,
	`previous_digest` text,
	`previous_until_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_previous_digest_unique` ON `sessions` (`previous_digest`);--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_in_tokens` (
	`digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_in_tokens_by_expiry` ON `sign_in_tokens` (`expires_at`);--> statement-breakpoint
CREATE INDEX `sign_in_tokens_by_user` ON `sign_in_tokens` (`user_id`,`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`subscription_id` text NOT NULL,
	`event_id` text NOT NULL,
	`state` text NOT NULL,
	`next_attempt_at` integer,
	`attempt_count` integer NOT NULL,
	`attempts` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`subscription_id`, `event_id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`subscription_id`,`next_attempt_at`) WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_failed` ON `webhook_deliveries` (`subscription_id`,`event_id`) WHERE state = 'failed';--> statement-breakpoint
CREATE TABLE `webhook_payload_counts` (
	`subscription_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`open` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_payload_counts_by_account` ON `webhook_payload_counts` (`account_id`);--> statement-breakpoint
CREATE TABLE `webhook_payloads` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`event_id` text NOT NULL,
	`type` text NOT NULL,
	`triggered_at` integer NOT NULL,
	`acknowledged_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_payloads_id_unique` ON `webhook_payloads` (`id`);--> statement-breakpoint
CREATE INDEX `webhook_payloads_open` ON `webhook_payloads` (`account_id`,`sequence`) WHERE acknowledged_at is null;--> statement-breakpoint
CREATE INDEX `webhook_payloads_open_of_subscription` ON `webhook_payloads` (`subscription_id`,`sequence`) WHERE acknowledged_at is null;--> statement-breakpoint
CREATE INDEX `webhook_payloads_open_by_time` ON `webhook_payloads` (`account_id`,`triggered_at`) WHERE acknowledged_at is null;--> statement-breakpoint
CREATE INDEX `webhook_payloads_acknowledged` ON `webhook_payloads` (`acknowledged_at`) WHERE acknowledged_at is not null;--> statement-breakpoint
CREATE TABLE `webhook_subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`template_id` text,
	`event` text NOT NULL,
	`target_url` text,
	`subscription_url` text,
	`retry_enabled` integer NOT NULL,
	`sign_payload` integer NOT NULL,
	`secret_sealed` text NOT NULL,
	`previous_secret_sealed` text,
	`previous_secret_until_at` integer,
	`access_token_sealed` text,
	`status` text DEFAULT 'active' NOT NULL,
	`failing_since_at` integer,
	`tell_owner_at` integer,
	`recover_after_id` text,
	`recover_until_id` text,
	`delivered` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`last_outcome` text,
	`last_attempt_at` integer,
	`lag_millis` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_subscriptions_by_event` ON `webhook_subscriptions` (`account_id`,`event`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_subscriptions_same` ON `webhook_subscriptions` (`account_id`,`target_url`,`event`) WHERE target_url is not null and template_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_subscriptions_same_of_template` ON `webhook_subscriptions` (`account_id`,`target_url`,`event`,`template_id`) WHERE target_url is not null and template_id is not null;--> statement-breakpoint
CREATE INDEX `webhook_subscriptions_recovering` ON `webhook_subscriptions` (`recover_after_id`) WHERE recover_after_id is not null;--> statement-breakpoint
CREATE INDEX `webhook_subscriptions_untold` ON `webhook_subscriptions` (`tell_owner_at`) WHERE tell_owner_at is not null;