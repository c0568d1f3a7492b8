/** A tree of files in memory: absolute path -> content. Directories are there when something is below them. */
export class FileTree {
  readonly #files = new Map<string, Buffer>();

  write(path: string, content: string | Uint8Array): void {
    this.#files.set(path, Buffer.from(content));
  }

  read(path: string): Buffer | undefined {
    return this.#files.get(path);
  }

  remove(directory: string): void {
    for (const path of this.#files.keys()) if (path.startsWith(`${directory}/`)) this.#files.delete(path);
  }

  /** The files below a directory, by their paths relative to it. */
  below(directory: string): Map<string, Buffer> {
    const prefix = `${directory.replace(/\/$/, '')}/`;
    return new Map(
      [...this.#files]
        .filter(([path]) => path.startsWith(prefix))
        .map(([path, content]) => [path.slice(prefix.length), content]),
    );
  }

  /** Stands in for a tar stream between in-memory sandboxes. */
  pack(directory: string): ReadableStream<Uint8Array> {
    const entries = [...this.below(directory)].map(([path, content]) => [path, content.toString('base64')]);
    return new Response(JSON.stringify(entries)).body as ReadableStream<Uint8Array>;
  }

  async unpack(directory: string, packed: ReadableStream<Uint8Array>): Promise<void> {
    const entries = (await new Response(packed).json()) as [string, string][];
    this.remove(directory);
    for (const [path, content] of entries) this.write(`${directory}/${path}`, Buffer.from(content, 'base64'));
  }
}
