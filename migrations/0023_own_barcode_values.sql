CREATE INDEX `passes_by_own_barcode_value` ON `passes` (`account_id`,`barcode_value`,"id" desc) WHERE barcode_value <> generated_id;--> statement-breakpoint
-- Not read since 0.1.0 by its name: while that release still runs, it finds barcode values by `passes_by_generated_id`,
-- among the passes of the account.
DROP INDEX `passes_by_barcode_value`;
