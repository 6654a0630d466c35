/** Writes the example of the documents; returns its folder and the files' paths in it. */
export function writeDocsExample(options: { links: boolean }): { folder: string; paths: string[] };
