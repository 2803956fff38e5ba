import { type SQL, sql } from 'drizzle-orm';
import { isToken } from '../../platform/shard-tokens.ts';
import { digestOf, shortDigestOf } from '../passes/page/links.ts';
import { type Operands, some, WRITTEN_OUT_MAX } from './operands.ts';
import type { Operator } from './operators.ts';

/**
 * A link whose token isn't in the database: the public texts around it, and the stored form of the token. A condition
 * never matches a part of a token, which would reveal the whole token one character at a time (docs/search.md).
 */
export interface LinkText {
  /** SQL for the text before the token. */
  before: SQL;
  /** Text after the token. */
  after: string;
  /** SQL for the stored form of the token: its digest, or the token itself in older rows. */
  kept: SQL;
}

/** Replaces the token in a link, and in a text with a complete token. */
const MARK = '\u0001';

interface Wanted {
  /** With `MARK` instead of its token, if it has one. */
  text: string;
  /** The possible stored forms of that token. */
  kept?: string[];
}

/**
 * Builds the condition that the operator selects a link by one of the texts: by its public parts, or by the digest of a
 * complete token. False for texts that only a part of a token could decide.
 */
export function linkHolds(link: LinkText, operator: Operator, texts: string[], operands: Operands): SQL {
  const wanted = texts.filter((text) => !text.includes(MARK)).flatMap((text) => [{ text }, ...withToken(link, text)]);
  const holds = (text: SQL, kept?: SQL[]) => tokenCondition(link, operator, { text, kept });
  if (wanted.length <= WRITTEN_OUT_MAX) {
    return some(
      wanted.map(({ text, kept }: Wanted) =>
        holds(
          operands.one(text),
          kept?.map((form) => operands.one(form)),
        ),
      ),
    );
  }
  const rows = operands.each(wanted.map(({ text, kept }: Wanted) => [text, ...(kept ?? [null, null, null])]));
  const [text, ...kept] = [0, 1, 2, 3].map((at) => sql.raw(`(wanted.value ->> ${at})`));
  return sql`exists (select 1 from ${rows} as wanted
    where iif(${kept[0]} is null, ${holds(text!)}, ${holds(text!, kept)}))`;
}

/** Replaces the complete token in the text, for each place at which the link may be cut off. */
function withToken({ after }: LinkText, text: string): Wanted[] {
  const ends = Array.from({ length: after.length + 1 }, (_, chars) => after.slice(0, chars));
  return ends.flatMap((end) => {
    if (!text.endsWith(end)) return [];
    const start = text.slice(0, text.length - end.length);
    // A slash precedes the token in a link.
    const token = start.slice(start.lastIndexOf('/') + 1);
    if (!isToken(token)) return [];
    return [{ text: start.slice(0, -token.length) + MARK + end, kept: [shortDigestOf(token), digestOf(token), token] }];
  });
}

function tokenCondition(
  { before, after, kept }: LinkText,
  operator: Operator,
  { text, kept: forms }: { text: SQL; kept?: SQL[] },
): SQL {
  const shown = sql`(${before} || ${sql.raw(`char(${MARK.charCodeAt(0)}) || '${after}'`)})`;
  const holds = operator.text!(shown, text);
  if (forms) {
    const isSame = operator.isOrder ? sql`${operator.text!(text, text)} and ${shown} = ${text}` : holds;
    return sql`(${kept} in (${sql.join(forms, sql`, `)}) and ${isSame})`;
  }
  if (!operator.isOrder) return holds;
  // A text that starts like the link and continues would be compared with the token.
  return sql`(${holds} and not (substr(${text}, 1, length(${before})) = ${before} and length(${text}) > length(${before})))`;
}
