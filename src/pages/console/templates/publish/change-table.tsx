import type { Child } from 'hono/jsx';
import type { Difference } from '../../../../domain/templates/differences.ts';
import { pathName } from '../designer/path-names.ts';

/** The table of differences, one member per row. */
export function ChangeTable(props: { changes: Difference[]; before: string; after: string }) {
  const { changes, before: old, after: now } = props;
  return (
    <table class="list changes">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">{old}</th>
          <th scope="col">{now}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(withOff).map(({ path, before, after }) => (
          <tr>
            <th scope="row">{pathName(path)}</th>
            <td data-label={old}>
              <del>
                <Value value={before} />
              </del>
            </td>
            <td data-label={now}>
              <ins>
                <Value value={after} />
              </ins>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Differences have no value for an option that is off. */
function withOff({ path, before, after }: Difference): Difference {
  return {
    path,
    before: before ?? (after === true ? false : before),
    after: after ?? (before === true ? false : after),
  };
}

function Value({ value }: { value: unknown }): Child {
  if (value === undefined || value === null) return <span class="quiet">Nothing</span>;
  if (typeof value === 'string') return <TextValue text={value} />;
  if (Array.isArray(value)) return value.map((item) => wordsOf(item)).join('; ');
  return wordsOf(value);
}

function TextValue({ text }: { text: string }) {
  const image = /\/images\/([0-9a-f]{64})$/.exec(text)?.[1];
  if (image) return <img class="change-image" src={`/images/${image}`} alt="Artwork" loading="lazy" />;
  if (!/^#[0-9a-f]{6}$/.test(text)) return <>{text}</>;
  return (
    <span class="change-color">
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <rect width="16" height="16" rx="4" fill={text} />
      </svg>
      {text}
    </span>
  );
}

/** Describes an object that was added or removed. */
function wordsOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .filter(([name]) => name !== 'key' && name !== 'id')
    .map(([name, part]) => `${pathName([name])}: ${wordsOf(part)}`)
    .join(', ');
}
