/*
 * The statements of the product on the measured paths, as the database gets them.
 */

const PASS_COLUMNS = [
  ...['id', 'account_id', 'template_id', 'template_version', 'user_provided_id', 'generated_id', 'barcode_value'],
  ...['barcode_alternative_text', 'voided', 'redeemed', 'version', 'stored_value', 'expiration_at', 'relevant_at'],
  ...['valid_as_of_at', 'grouping_identifier', 'bundle_id', 'email_recipient', 'phone_recipient', 'download_pin'],
  ...['properties', 'appearance', 'flight', 'places_used_at', 'last_usage_at', 'number_of_active'],
  ...['number_of_inactive', 'number_of_printed', 'first_downloaded_at', 'page_token', 'file_token'],
  ...['authentication_token', 'created_at', 'modified_at'],
];

const ofPass = PASS_COLUMNS.map((name) => `"passes"."${name}"`).join(', ');
const plain = PASS_COLUMNS.map((name) => `"${name}"`).join(', ');

export const READ_KEY = `select "api_keys"."id" as "api_key_id", "api_keys"."secret_digest", "api_keys"."active",
  "api_keys"."expires_at", "api_keys"."last_used_at", "accounts"."id", "accounts"."name", "accounts"."timezone",
  "accounts"."language", "accounts"."logo_url", "accounts"."icon_url", "accounts"."parent_account_id", "accounts"."created_at"
  from "api_keys" inner join "accounts" on "accounts"."id" = "api_keys"."account_id" where "api_keys"."lookup" = ?`;

export const READ_PASS = `select ${ofPass}, "templates"."name", "templates"."version" as "template_newest_version",
  "templates"."published_version"
  from "passes" inner join "templates" on "templates"."id" = "passes"."template_id" where ("passes"."id" = coalesce(
    (select "passes"."id" from "passes" where "passes"."id" = ? and "passes"."account_id" = ?),
    (select "passes"."id" from "passes" where "passes"."account_id" = ? and "passes"."user_provided_id" = ?
      order by "passes"."id" desc limit 1),
    (select "passes"."id" from "passes" where "passes"."account_id" = ? and "passes"."barcode_value" = ?
      order by "passes"."id" desc limit 1),
    (select "passes"."id" from "passes" where "passes"."account_id" = ? and "passes"."generated_id" = ?))
  and "passes"."account_id" = ?)`;

export const READ_ISSUERS = `select "id", "account_id", "issuer_id", "client_email", "private_key_sealed", "development", "created_at"
  from "google_issuers" where ("google_issuers"."account_id" = ? or "google_issuers"."account_id" is null)
  order by "google_issuers"."created_at" desc, "google_issuers"."id" desc`;

export const READ_TITLE = `select "name", "pass_count" as "total" from "templates"
  where ("templates"."id" = ? and "templates"."account_id" = ?)`;

const ofTemplate = `"passes"."template_id" = (select id from "templates" where id = ? and account_id = ?)`;

export const READ_PAGE = `select ${plain} from "passes" where ${ofTemplate} order by "passes"."id" asc limit ?`;

export const READ_PAGE_AFTER = `select ${plain} from "passes" where (${ofTemplate} and "passes"."id" > ?)
  order by "passes"."id" asc limit ?`;

export const READ_TEMPLATE = `select "id", "account_id", "name", "project_id", "user_provided_id", "version", "published_version",
  "pass_count", "created_at", "modified_at", (
    select "definition" from "template_versions"
    where "template_id" = "templates"."id" and "version" = "templates"."version"
      and "templates"."version" <> ?) as "definition"
  from "templates" where ("templates"."id" = ? and "templates"."account_id" = ?)`;

export const INSERT_PASS = `insert into "passes" (${plain}) select ${PASS_COLUMNS.map(() => '?').join(', ')}
  where exists (select 1 from "templates" where "templates"."id" = ?) returning "id"`;

export const UPDATE_COUNT = `update "templates" set "pass_count" = "templates"."pass_count" + ?
  where ("templates"."id" = ? and exists (select 1 from "passes" where "passes"."id" = ?))`;

export const INSERT_EVENT = `insert into "events" ("id", "account_id", "type", "template_id", "pass_id", "body", "created_at")
  select ?, ?, ?, ?, ?, ?, ? where exists (select 1 from "passes" where "passes"."id" = ?)`;
