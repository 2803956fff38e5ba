import { verify } from 'node:crypto';
export function readSigned(body, publicKey) {
  const { signedData, signature } = JSON.parse(body);
  if (!verify('sha256', Buffer.from(signedData), publicKey, Buffer.from(signature, 'hex')))
    throw new Error('not signed');
  return JSON.parse(signedData);
}
