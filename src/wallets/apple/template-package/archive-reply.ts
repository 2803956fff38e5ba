import type { PackedTemplate } from './pack-template.ts';

/** Returns the archive of a template, with a file name that all systems accept. */
export function archiveReply({ name, bytes }: PackedTemplate): Response {
  const ascii = name.replace(/[^\x20-\x7e]/g, '-');
  const named = `filename="${ascii}.pkpasstemplate.zip"; filename*=UTF-8''${encodeURIComponent(name)}.pkpasstemplate.zip`;
  return new Response(bytes, {
    headers: {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; ${named}`,
      'Cache-Control': 'no-store',
    },
  });
}
