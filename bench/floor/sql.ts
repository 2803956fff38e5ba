/** The statements of the product on the measured paths, as the database gets them, for these columns of `passes` and `templates`. */
export function statements(passes: string[], templates: string[]) {
  const list = (names: string[], table?: string) =>
    names.map((name) => (table ? `"${table}"."${name}"` : `"${name}"`)).join(', ');
  const ofTemplate = `"passes"."template_id" = (select id from "templates" where id = ? and account_id = ?)`;
  return {
    readKey: `select "api_keys"."id" as "api_key_id", "api_keys"."secret_digest", "api_keys"."active",
      "api_keys"."expires_at", "api_keys"."last_used_at", "accounts"."id", "accounts"."name", "accounts"."timezone",
      "accounts"."language", "accounts"."logo_url", "accounts"."icon_url", "accounts"."parent_account_id",
      "accounts"."created_at"
      from "api_keys" inner join "accounts" on "accounts"."id" = "api_keys"."account_id" where "api_keys"."lookup" = ?`,

    readPass: `select ${list(passes, 'passes')}, "templates"."name", "templates"."version" as "template_newest_version",
      "templates"."published_version", "templates"."published_at", "templates"."project_id"
      from "passes" inner join "templates" on "templates"."id" = "passes"."template_id" where ("passes"."id" = coalesce(
        (select "passes"."id" from "passes" where "passes"."id" = ? and "passes"."account_id" = ?),
        (select "passes"."id" from "passes" where "passes"."account_id" = ? and "passes"."user_provided_id" = ?
          order by "passes"."id" desc limit 1),
        (select "passes"."id" from "passes" where "passes"."account_id" = ? and "passes"."barcode_value" = ?
          order by "passes"."id" desc limit 1),
        (select "passes"."id" from "passes" where "passes"."account_id" = ? and "passes"."generated_id" = ?))
      and "passes"."account_id" = ?)`,

    readIssuers: `select "id", "account_id", "issuer_id", "client_email", "private_key_sealed", "development", "created_at"
      from "google_issuers" where ("google_issuers"."account_id" = ? or "google_issuers"."account_id" is null)
      order by "google_issuers"."created_at" desc, "google_issuers"."id" desc`,

    readTitle: `select "name", "pass_count" as "total" from "templates"
      where ("templates"."id" = ? and "templates"."account_id" = ?)`,

    readPage: `select ${list(passes)} from "passes" where ${ofTemplate} order by "passes"."id" asc limit ?`,

    readPageAfter: `select ${list(passes)} from "passes" where (${ofTemplate} and "passes"."id" > ?)
      order by "passes"."id" asc limit ?`,

    readTemplate: `select ${list(templates, 'templates')}, "template_versions"."definition"
      from "templates" left join "template_versions" on ("template_versions"."template_id" = "templates"."id"
        and "template_versions"."version" = "templates"."version" and "templates"."version" <> ?)
      where ("templates"."id" = ? and "templates"."account_id" = ?)`,

    insertPass: `insert into "passes" (${list(passes)}) select ${passes.map(() => '?').join(', ')}
      where exists (select 1 from "templates" where "templates"."id" = ?) returning "barcode_value"`,

    updateCount: `update "templates" set "pass_count" = "templates"."pass_count" + ?
      where ("templates"."id" = ? and exists (select 1 from "passes" where "passes"."id" = ?))`,

    insertEvent: `insert into "events" ("id", "account_id", "type", "template_id", "pass_id", "body", "created_at")
      select ?, ?, ?, ?, ?, ?, ? where exists (select 1 from "passes" where "passes"."id" = ?)`,
  };
}
