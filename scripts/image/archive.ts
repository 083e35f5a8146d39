import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/system/version.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { buildTar } from "../release/tar.ts";
import { type Architecture, fetchLibraries, LIBC_VERSION } from "./libraries.ts";
import { USER_ID, writeRoot } from "./root.ts";
import { imageSettings } from "./settings.ts";

/** What an image is made of. */
interface Image {
  /** The program as one file. */
  readonly executable: string;
  readonly architecture: Architecture;
  /** The time of every file and of the image, in seconds since 1970. */
  readonly time: string;
  /** The commit that it is made from, as far as that is known. */
  readonly revision?: string | undefined;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/**
 * Makes a container image as an archive, without any container tool. The same executable and time give the same bytes.
 *
 * The archive has the layout of the OCI image specification (version 1.1), and the `manifest.json` that `docker load` reads.
 * The manifest is of Docker's type, which that specification allows: OCI's own knows no health check, and Podman drops it.
 *
 * @returns the path of the archive in `outdir`
 */
export async function buildImage(
  { executable, architecture, time, revision }: Image,
  outdir: string,
): Promise<string> {
  using folder = temporaryFolder();
  const [root, layout] = [join(folder.path, "root"), join(folder.path, "layout")];
  mkdirSync(join(root, "data"), { recursive: true });
  mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
  await writeRoot({ executable, architecture, libc: LIBC_VERSION, time }, root);
  await fetchLibraries(architecture, root);

  const tar = await layerOf(root, time, join(folder.path, "layer.tar"));
  const addBlob = (mediaType: string, content: Uint8Array | string): Descriptor => {
    const digest = sha256(content);
    writeFileSync(join(layout, "blobs", digest.replace(":", "/")), content);
    return { mediaType, digest, size: Buffer.byteLength(content) };
  };
  const layer = addBlob("application/vnd.docker.image.rootfs.diff.tar.gzip", Bun.gzipSync(tar, { level: 9 }));

  const created = new Date(Number(time) * 1000).toISOString();
  const settings = imageSettings();
  const labels = {
    ...settings.Labels,
    "org.opencontainers.image.version": VERSION,
    "org.opencontainers.image.created": created,
    ...(revision ? { "org.opencontainers.image.revision": revision } : {}),
  };
  const config = addBlob(
    "application/vnd.docker.container.image.v1+json",
    JSON.stringify({
      created,
      architecture,
      os: "linux",
      config: { ...settings, Labels: labels },
      rootfs: { type: "layers", diff_ids: [sha256(tar)] },
      history: [{ created, comment: "npm run release" }],
    }),
  );
  const manifest = addBlob(
    "application/vnd.docker.distribution.manifest.v2+json",
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.docker.distribution.manifest.v2+json",
      config,
      layers: [layer],
    }),
  );

  const write = (name: string, content: unknown) =>
    writeFileSync(join(layout, name), JSON.stringify(content));
  write("oci-layout", { imageLayoutVersion: "1.0.0" });
  write("index.json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        ...manifest,
        platform: { architecture, os: "linux" },
        annotations: { "org.opencontainers.image.ref.name": `animal-store:${VERSION}` },
      },
    ],
  });
  const blob = ({ digest }: Descriptor) => join("blobs", digest.replace(":", "/"));
  write("manifest.json", [
    { Config: blob(config), RepoTags: [`animal-store:${VERSION}`], Layers: [blob(layer)] },
  ]);

  const file = join(outdir, `animal-store-${VERSION}-image-${architecture}.tar`);
  await buildTar(file, [{ folder: layout, owner: 0, time }]);
  return file;
}

/** The files of an image as one layer; the folder for data belongs to the user who writes there. */
async function layerOf(root: string, time: string, file: string): Promise<Uint8Array<ArrayBuffer>> {
  await buildTar(file, [
    { folder: root, owner: 0, time, without: ["./data", "./tmp"] },
    { folder: root, owner: USER_ID, time, only: ["./data"] },
    { folder: root, owner: 0, time, only: ["./tmp"], mode: "1777" },
  ]);
  return await Bun.file(file).bytes();
}

function sha256(content: Uint8Array | string): string {
  return `sha256:${Bun.CryptoHasher.hash("sha256", content, "hex")}`;
}
