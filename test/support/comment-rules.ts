import type { Rule } from './house-rules.ts';
import type { SourceComment, SourceFile } from './source-file.ts';

const TEXT_LINES_MAX = 3;
const COLUMNS_MAX = 120;

/** Whether a comment is a program's usage text: the first comment of a script, and not a docstring. */
const isUsage = ({ path, comments }: SourceFile, comment: SourceComment) =>
  path.startsWith('scripts/') && comment === comments[0] && comment.text.startsWith('/*\n');

const hasText = (line: string) => /[^/*\s]/.test(line);

const textLines = ({ text }: SourceComment) => text.split('\n').filter(hasText).length;

export const commentsAreShort: Rule = ({ sources }) =>
  sources.flatMap((source) =>
    source.comments
      .filter((comment) => textLines(comment) > TEXT_LINES_MAX && !isUsage(source, comment))
      .map((comment) => `${source.path}:${comment.line}: a comment of more than ${TEXT_LINES_MAX} lines`),
  );

export const commentsAreNarrow: Rule = ({ sources }) =>
  sources.flatMap(({ path, text, comments }) => {
    const lines = text.split('\n');
    return comments
      .flatMap(({ line, text }) => text.split('\n').map((_, i) => line + i))
      .filter((line) => (lines[line - 1] ?? '').length > COLUMNS_MAX)
      .map((line) => `${path}:${line}: a comment past column ${COLUMNS_MAX}`);
  });

/** Public standards whose sections a comment may name. */
const STANDARD = /\b(RFC \d+\w*|3GPP|ISO|EXIF|X\.\d+|XCU|PKWARE|PNG)\b/;

/** A comment names a page of this repository by its path, or the end of it: `conformance.md`. */
export const commentsStayInside: Rule = ({ files, sources }) =>
  sources.flatMap(({ path, comments }) =>
    comments.flatMap(({ line, text }) => {
      const pages = [...text.matchAll(/[\w./-]+\.md\b/g)].map(([page]) => page);
      const foreign = pages.filter((page) => !files.some((file) => `/${file.path}`.endsWith(`/${page}`)));
      const section = text.indexOf('§');
      if (section >= 0 && !STANDARD.test(text.slice(0, section))) foreign.push('a section of no public standard');
      if (/\((specification|decisions|additions)\b/.test(text)) foreign.push('a plan');
      return foreign.map((page) => `${path}:${line}: points to ${page}, outside of the repository`);
    }),
  );
