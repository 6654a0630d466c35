/** Writes the README's example; returns its folder and the files' paths in it. */
export function writeReadmeExample(options: { links: boolean }): { folder: string; paths: string[] };
