import type { Bucket } from '../statistics/range.ts';

const HEIGHT = 36;

/** Small bars, oldest first, with what they say in words. */
export function Sparkline({ values, buckets }: { values: number[]; buckets: Bucket[] }) {
  const highest = Math.max(1, ...values);
  const wide = 100 / values.length;
  const words = values.map((value, i) => `${buckets[i]!.title}: ${value.toLocaleString('en')}`).join(', ');
  return (
    <svg class="sparkline" height={HEIGHT} role="img" aria-label={words}>
      {values.map((value, i) => {
        const height = Math.max(2, Math.round((value / highest) * HEIGHT));
        return (
          <rect x={`${(i + 0.2) * wide}%`} width={`${wide * 0.6}%`} y={HEIGHT - height} height={height} rx="2">
            <title>{`${buckets[i]!.title}: ${value.toLocaleString('en')}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
