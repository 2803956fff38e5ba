/** What the page sends to the decoder: one frame, which changes hands. */
export interface DecoderRequest {
  frame: ImageBitmap;
}

/** What the decoder answers: that it can begin, one answer for each frame, or what went wrong. */
export type DecoderReply =
  | { kind: 'ready' }
  | { kind: 'read'; value: string | undefined }
  | { kind: 'failed'; reason: string };
