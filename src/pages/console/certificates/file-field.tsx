import { TextField } from '../fields.tsx';

interface FileFieldProps {
  name: string;
  label: string;
  hint?: string;
  accept: string;
  required?: boolean;
}

/** A field for one file of certain types. */
export function FileField({ accept, ...field }: FileFieldProps) {
  return <TextField {...field} type="file" more={{ accept }} />;
}
