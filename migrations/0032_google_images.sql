CREATE TRIGGER `image_uses_of_new_google_members` AFTER INSERT ON `template_versions` WHEN json_type(NEW.`definition`, '$.google') = 'object'
BEGIN
	INSERT INTO `image_uses` (`sha256`, `user`) SELECT value, 'template:' || NEW.`template_id` || ':' || NEW.`version` FROM json_tree(NEW.`definition`, '$.google') WHERE key = 'sha256' ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `image_uses_of_deleted_google_members` AFTER DELETE ON `template_versions` WHEN json_type(OLD.`definition`, '$.google') = 'object'
BEGIN
	DELETE FROM `image_uses` WHERE `user` = 'template:' || OLD.`template_id` || ':' || OLD.`version` AND `sha256` IN (SELECT value FROM json_tree(OLD.`definition`, '$.google') WHERE key = 'sha256');
END;
