/*
 * A migration runs while the previous release's Worker is still active, and a bad release may be rolled back. So a
 * release only adds; a later one removes what nothing reads anymore.
 */

/** A file of `migrations/`. */
export interface Migration {
  name: string;
  sql: string;
}

/** Released migrations from before the rule. */
export const EXEMPT: Record<string, string> = {
  '0002_custom_number_intervals.sql': 'drops the counter of custom numbers, which intervals replace',
  '0004_active_pass_counts_by_template.sql': 'counts active passes anew, by template',
};

const ADDS_REQUIRED = /^alter table \S+ add\b(?=.*\bnot null\b)(?!.*\bdefault\b)/is;

const BREAKS: [RegExp, string][] = [
  [/^drop table\b/i, 'drops a table'],
  [/^drop (index|trigger|view)\b/i, 'drops what statements may name'],
  [/^alter table \S+ drop\b/i, 'drops a column'],
  [/^alter table \S+ rename\b/i, 'renames a table or column'],
  [/^create table (if not exists )?[`"']?__new_/i, 'makes a table anew'],
  [ADDS_REQUIRED, 'adds a column that the release before does not fill'],
];

/** The comment before a statement that allows it. */
const REASON = /^-- Not read since (\d+\.\d+\.\d+)\b/m;

/** Returns the releases in a changelog, without the unreleased one. */
export function releasesOf(changelog: string): string[] {
  return [...changelog.matchAll(/^## (\d+\.\d+\.\d+)[ \t]*$/gm)].map(([, version]) => version!);
}

/** Returns a migration's faults, one text per statement. */
export function migrationFaults({ name, sql }: Migration, releases: string[], exempt = EXEMPT): string[] {
  if (Object.hasOwn(exempt, name)) return [];
  return statementsOf(sql).flatMap(({ comment, text }) => {
    const broken = BREAKS.find(([pattern]) => pattern.test(text));
    if (!broken) return [];
    const [, release] = REASON.exec(comment) ?? [];
    if (release && releases.includes(release)) return [];
    return [`${name}: ${broken[1]}${wayOut(broken[0], release)}: ${text.split('\n')[0]}`];
  });
}

/** Returns what would allow a statement. */
function wayOut(broken: RegExp, release: string | undefined): string {
  if (broken === ADDS_REQUIRED) return ', so make it nullable or give it a default';
  return release ? `, and ${release} is no release` : ', and no comment says "-- Not read since <release>"';
}

/** Returns statements with the comments before them. */
function statementsOf(sql: string): { comment: string; text: string }[] {
  return sql
    .split(/--> statement-breakpoint|;[ \t]*$/m)
    .map((part) => part.trim().split('\n'))
    .map((lines) => ({
      comment: lines.filter((line) => line.startsWith('--')).join('\n'),
      text: lines
        .filter((line) => !line.startsWith('--'))
        .join('\n')
        .trim(),
    }))
    .filter(({ text }) => text !== '');
}
