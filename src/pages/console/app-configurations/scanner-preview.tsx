import { scannerColors } from '../../scanner/scanner-view.ts';

interface ScannerPreviewProps {
  name: string;
  place: string;
  backgroundColor: string | null;
  textColor: string | null;
}

/** A preview of the scanner in these colors. The form's script updates it by its classes. */
export function ScannerPreview({ name, place, backgroundColor, textColor }: ScannerPreviewProps) {
  const { background, text } = scannerColors({ backgroundColor, textColor });
  return (
    <svg class="scanner-preview" viewBox="0 0 220 400" role="img" aria-label="The scanner app in these colors">
      <rect class="scanner-background" x="1" y="1" width="218" height="398" rx="26" fill={background} />
      <rect class="scanner-edge" x="1" y="1" width="218" height="398" rx="26" />
      <g class="scanner-text" fill={text} stroke={text}>
        <text class="scanner-title" x="20" y="46" stroke="none">
          {shortened(name || 'Main entrance')}
        </text>
        <text class="scanner-place" x="20" y="66" stroke="none">
          {shortened(place || ' ')}
        </text>
        <path d="M60 150v-22h22M138 128h22v22M160 212v22h-22M82 234H60v-22" fill="none" stroke-width="5" />
        <path
          d="M78 146h18v18H78zM124 146h18v18h-18zM78 198h18v18H78zM110 178h14v14h-14zM128 202h14v14h-14z"
          stroke="none"
        />
        <rect class="scanner-outline" x="20" y="336" width="180" height="40" rx="20" fill="none" stroke-width="1.5" />
        <text class="scanner-place" x="110" y="361" text-anchor="middle" stroke="none">
          Start scanning
        </text>
      </g>
    </svg>
  );
}

const CHARS_MAX = 20;

function shortened(text: string): string {
  return text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX - 1)}…` : text;
}
