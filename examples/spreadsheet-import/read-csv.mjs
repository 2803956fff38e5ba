/** Rows of a CSV file (RFC 4180) as objects, by the names in its first row. Empty lines are left out. */
export function readCsv(text) {
  const rows = [[]];
  // A field is quoted or plain, and ends with a comma, a line break or the end of the file.
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  field.lastIndex = text.startsWith('\ufeff') ? 1 : 0;
  for (let end = ','; end !== ''; ) {
    const found = field.exec(text);
    if (!found) throw new Error(`Row ${rows.length} has a quotation mark that is not closed, or not doubled`);
    const [, quoted, plain] = found;
    end = found[3];
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',' && end !== '') rows.push([]);
  }
  const [names, ...others] = rows.filter((row) => row.some((value) => value !== ''));
  return others.map((row, index) => {
    if (row.length !== names.length) throw new Error(`Row ${index + 2} has ${row.length} fields, not ${names.length}`);
    return Object.fromEntries(names.map((name, column) => [name, row[column]]));
  });
}
