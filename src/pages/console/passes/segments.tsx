import type { Segment } from '../../../domain/search/segments.ts';
import { fromQuery, writeForm } from './query-form.ts';

interface SegmentsProps {
  base: string;
  segments: Segment[];
  /** What is looked for now. */
  query: Record<string, unknown>;
  columns: string[];
  mayEdit: boolean;
}

/** Queries that the account keeps under a title, and the form that keeps the present one. */
export function Segments({ base, segments, query, columns, mayEdit }: SegmentsProps) {
  const asked = JSON.stringify(query);
  const mayKeep =
    mayEdit && Object.keys(query).length > 0 && !segments.some((one) => JSON.stringify(one.query) === asked);
  if (segments.length === 0 && !mayKeep) return null;
  return (
    <section class="saved-queries" aria-label="Segments">
      {segments.length > 0 && (
        <ul>
          {segments.map((segment) => {
            const isShown = JSON.stringify(segment.query) === asked;
            return (
              <li>
                <a
                  class="saved-query"
                  href={`${base}?${writeForm(fromQuery(segment.query, columns, segment.identifier))}`}
                  aria-current={isShown ? 'true' : undefined}
                >
                  {segment.title || 'Untitled'}
                </a>
                {mayEdit && isShown && (
                  <a class="quiet" href={`${base}/segments/${segment.identifier}/delete`}>
                    Delete segment
                  </a>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {mayKeep && (
        <form class="keep-query" method="post" action={`${base}/segments`}>
          <input type="hidden" name="query" value={asked} />
          <label>
            <span class="visually-hidden">Name of the segment</span>
            <input type="text" name="title" required placeholder="Name of this search" maxlength={100} />
          </label>
          <button class="button small quiet" type="submit">
            Save as segment
          </button>
        </form>
      )}
    </section>
  );
}
