// Static named imports, so that the bundler keeps these three symbologies (186 KB) and drops the other hundred (945
// KB); `barcodes.ts` imports this file lazily.
export { azteccode, code128, pdf417 } from 'bwip-js/generic';
