/** Message from the page to the decoder: one frame, which is transferred. */
export interface DecoderRequest {
  frame: ImageBitmap;
}

/** Message from the decoder: ready, the result for a frame, or an error. */
export type DecoderReply =
  | { kind: 'ready' }
  | { kind: 'read'; value: string | undefined }
  | { kind: 'failed'; reason: string };
