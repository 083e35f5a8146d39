import { Conversation } from "../../verify/wire/conversation.ts";

/** Sends bytes on a connection of their own and returns the bytes of the response, whose body is a JSON object. */
export async function sendRaw(address: string, bytes: string | Uint8Array): Promise<string> {
  using conversation = await Conversation.open(address);
  conversation.send(bytes);
  return await conversation.heard(/}$/);
}
