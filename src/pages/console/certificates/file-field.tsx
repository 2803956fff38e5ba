import { TextField } from '../fields.tsx';

interface FileFieldProps {
  name: string;
  label: string;
  hint?: string;
  accept: string;
  required?: boolean;
}

/** Takes one file of some kinds. */
export function FileField({ accept, ...field }: FileFieldProps) {
  return <TextField {...field} type="file" more={{ accept }} />;
}
