export interface Finding {
  path: string;
  wallet: 'apple' | 'google' | 'both';
  severity: 'error' | 'warning' | 'hint';
  message: string;
  source: string;
}
