-- Members who edit passes go on seeing what they edit. Owners see everything; others see no personal data until an owner lets them.
UPDATE `memberships` SET `privileges` = json_insert(`privileges`, '$[#]', 'personal_data')
WHERE EXISTS (SELECT 1 FROM json_each(`memberships`.`privileges`) WHERE value = 'passes.edit')
	AND NOT EXISTS (SELECT 1 FROM json_each(`memberships`.`privileges`) WHERE value = 'personal_data');
