import { formatNumber, Panel } from '../parts.tsx';
import type { Bucket } from './range.ts';

/** Styles of a series. Each has a color and a pattern, so that series differ without color. */
export const LOOKS = ['plain', 'hatched', 'dotted', 'striped', 'crossed'] as const;

/** Values of a series, one per bucket. */
export interface Series {
  title: string;
  look: (typeof LOOKS)[number];
  values: number[];
  /** Drawn below the line, for losses. */
  isBelow?: boolean;
}

interface ChartProps {
  /** Also the id of the panel. */
  id: string;
  title: string;
  buckets: Bucket[];
  series: Series[];
  /** Summarizes a series in the legend; default: the sum. */
  figure?: (values: number[]) => number;
  /** Hint for an empty chart. */
  empty: string;
}

/** Pixels. Horizontal positions are shares, because the width depends on the page. */
const TOP = 24;
const PLOT = 150;
const HEIGHT = TOP + PLOT + 26;

/** A bar chart over time, with a figure per series and the same data as a table. */
export function Chart({ id, title, buckets, series, figure = sum, empty }: ChartProps) {
  const sums = series.map(({ values }) => figure(values));
  const summary = series.map((one, i) => `${one.title}: ${formatNumber(sums[i]!)}`).join(', ');
  if (sum(sums) === 0) {
    return (
      <Panel id={id} title={title}>
        <p class="quiet">No data in this period. {empty}</p>
      </Panel>
    );
  }
  return (
    <Panel id={id} title={title}>
      <ul class="legend">
        {series.map((one, i) => (
          <li>
            <svg class="swatch" aria-hidden="true" viewBox="0 0 14 14">
              <rect class={`look-${one.look}`} width="14" height="14" rx="3" />
            </svg>
            <span class="quiet">{one.title}</span> <strong>{formatNumber(sums[i]!)}</strong>
          </li>
        ))}
      </ul>
      <div class="chart-box">
        <Bars id={id} title={title} summary={summary} buckets={buckets} series={series} />
        <p class="readout" aria-hidden="true" />
      </div>
      <TableView title={title} buckets={buckets} series={series} />
    </Panel>
  );
}

interface BarsProps extends Pick<ChartProps, 'id' | 'title' | 'buckets' | 'series'> {
  summary: string;
}

function Bars({ id, title, summary, buckets, series }: BarsProps) {
  const above = series.filter(({ isBelow }) => !isBelow);
  const below = series.filter(({ isBelow }) => isBelow);
  const highest = (list: Series[]) => Math.max(0, ...buckets.map((_, i) => sum(list.map(({ values }) => values[i]!))));
  const [up, down] = [highest(above), highest(below)];
  const scale = PLOT / (up + down);
  const zero = TOP + up * scale;
  const wide = 100 / buckets.length;
  return (
    <svg class="chart" height={HEIGHT} aria-labelledby={`${id}-title ${id}-desc`}>
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-desc`}>
        Bars from {buckets[0]!.title} to {buckets.at(-1)!.title}. {summary}.
      </desc>
      {up > 0 && <line class="grid" x1="0" x2="100%" y1={TOP} y2={TOP} />}
      {up > 0 && (
        <text class="tick" x="0" y={TOP - 5}>
          {formatNumber(up)}
        </text>
      )}
      {buckets.map((bucket, i) => (
        // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a bar is a picture that keyboards reach
        <g class="bar" tabindex={0} role="img" aria-label={labelOf(bucket, series, i)}>
          <rect class="hit" x={`${i * wide}%`} width={`${wide}%`} y={TOP} height={PLOT} />
          {[...stacked(above, i, zero, -scale), ...stacked(below, i, zero, scale)].map(({ look, y, height }) => (
            <rect
              class={`look-${look}`}
              x={`${(i + 0.14) * wide}%`}
              width={`${wide * 0.72}%`}
              y={y}
              height={height}
              rx="2"
            />
          ))}
        </g>
      ))}
      <line class="zero" x1="0" x2="100%" y1={zero} y2={zero} />
      <Ticks buckets={buckets} />
    </svg>
  );
}

function Ticks({ buckets }: { buckets: Bucket[] }) {
  const middle = buckets.length >> 1;
  return (
    <>
      <text class="tick" x="0" y={HEIGHT - 6}>
        {buckets[0]!.label}
      </text>
      {buckets.length > 4 && (
        <text class="tick" x={`${((middle + 0.5) / buckets.length) * 100}%`} y={HEIGHT - 6} text-anchor="middle">
          {buckets[middle]!.label}
        </text>
      )}
      <text class="tick" x="100%" y={HEIGHT - 6} text-anchor="end">
        {buckets.at(-1)!.label}
      </text>
    </>
  );
}

/** Returns the parts of a bar, from the line outward. `scale` is pixels per unit, negative upward. */
function stacked(series: Series[], at: number, zero: number, scale: number) {
  let end = zero;
  return series.flatMap(({ look, values }) => {
    const height = Math.abs(values[at]! * scale);
    if (height === 0) return [];
    const y = scale < 0 ? end - height : end;
    end += scale < 0 ? -height : height;
    return [{ look, y: round(y), height: round(Math.max(height, 1)) }];
  });
}

function labelOf({ title }: Bucket, series: Series[], at: number): string {
  return `${title}: ${series.map((one) => `${one.title} ${formatNumber(one.values[at]!)}`).join(', ')}`;
}

function TableView({ title, buckets, series }: Pick<ChartProps, 'title' | 'buckets' | 'series'>) {
  return (
    <details class="aside">
      <summary>View as table</summary>
      <table class="list">
        <caption class="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map((one) => (
              <th scope="col" class="number">
                {one.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, i) => (
            <tr>
              <th scope="row">{bucket.title}</th>
              {series.map((one) => (
                <td class="number" data-label={one.title}>
                  {formatNumber(one.values[i]!)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Fill patterns of all charts, included once per page. */
export function ChartFills() {
  return (
    <svg class="fills" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="fill-hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="ink-hatched" width="6" height="6" />
          <rect class="ink-paper" width="2" height="6" />
        </pattern>
        <pattern id="fill-dotted" width="6" height="6" patternUnits="userSpaceOnUse">
          <rect class="ink-dotted" width="6" height="6" />
          <circle class="ink-paper" cx="3" cy="3" r="1.4" />
        </pattern>
        <pattern id="fill-striped" width="6" height="6" patternUnits="userSpaceOnUse">
          <rect class="ink-striped" width="6" height="6" />
          <rect class="ink-paper" width="6" height="2" />
        </pattern>
        <pattern id="fill-crossed" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="ink-crossed" width="6" height="6" />
          <path class="ink-paper-line" d="M0 1h6M1 0v6" />
        </pattern>
      </defs>
    </svg>
  );
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

const round = (pixels: number): number => Math.round(pixels * 10) / 10;
