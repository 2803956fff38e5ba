-- Images that passes waited for before their time was noted: those whose job got lost would be waited for always, so the cron asks for all of them anew.
UPDATE `passes` SET `appearance` = json_set(`appearance`, '$.pendingImages.dueAt', 0)
WHERE `appearance` -> '$.pendingImages' IS NOT NULL AND `appearance` ->> '$.pendingImages.dueAt' IS NULL;
