-- SPDX-License-Identifier: LGPL-2.1-or-later
-- RTP congestion control feedback (RFC 8888) in Wireshark and tshark, whose version 4.0 shows its
-- bytes alone: behind the RTCP that Wireshark reads comes a tree for each CCFB of the compound.
--
--     tshark -X lua_script:ccfb.lua -d udp.port==5005,rtcp -r run.pcap -Y ccfb -V
--
-- or put the file into Wireshark's folder of plugins (Help, About, Folders).

local PT_RTPFB, FMT_CCFB = 205, 11
local ECN = { [0] = "not ECT", [1] = "ECT(1)", [2] = "ECT(0)", [3] = "CE" }
local ATO_OVER, ATO_UNKNOWN = 0x1FFE, 0x1FFF -- RFC 8888, 3.1

local ccfb = Proto("ccfb", "RTP Congestion Control Feedback (RFC 8888)")
local f = {
  sender = ProtoField.uint32("ccfb.sender_ssrc", "SSRC of the sender of this packet", base.HEX),
  stream = ProtoField.uint32("ccfb.ssrc", "SSRC of the stream", base.HEX),
  begin = ProtoField.uint16("ccfb.begin_seq", "begin_seq"),
  count = ProtoField.uint16("ccfb.num_reports", "num_reports"),
  seq = ProtoField.uint16("ccfb.seq", "RTP sequence number"),
  received = ProtoField.bool("ccfb.received", "Received", 16, nil, 0x8000),
  ecn = ProtoField.uint16("ccfb.ecn", "ECN", base.DEC, ECN, 0x6000),
  ato = ProtoField.uint16("ccfb.ato", "Arrival time offset, 1/1024 s before the report", base.DEC, nil, 0x1FFF),
  timestamp = ProtoField.uint32("ccfb.timestamp", "Report timestamp (middle of NTP)", base.HEX),
  lost = ProtoField.uint32("ccfb.lost", "Not received"),
}
ccfb.fields = f
local malformed = ProtoExpert.new("ccfb.malformed", "Malformed CCFB", expert.group.MALFORMED, expert.severity.ERROR)
ccfb.experts = { malformed }

local rtcp_type, datagram = Field.new("rtcp.pt"), Field.new("udp.payload")

local function add_metric(tree, range, seq)
  local word = range:uint()
  local text = "lost"
  if word >= 0x8000 then
    local ato = bit.band(word, 0x1FFF)
    local when = ato == ATO_OVER and "8 s or more before" or ato == ATO_UNKNOWN and "time not known"
      or string.format("%.1f ms before", ato / 1.024)
    text = string.format("received, %s, %s", when, ECN[bit.band(bit.rshift(word, 13), 3)])
  end
  local item = tree:add(range, string.format("%d: %s", seq, text))
  item:add(f.seq, range, seq):set_generated()
  item:add(f.received, range)
  if word >= 0x8000 then
    item:add(f.ecn, range)
    item:add(f.ato, range)
  end
  return word >= 0x8000
end

-- The block of a stream; returns where the next begins, nil when it is not whole.
local function add_stream(tree, packet, at, stop)
  if at + 8 > stop then return nil end
  local first, count = packet(at + 4, 2):uint(), packet(at + 6, 2):uint()
  local after = at + 8 + 4 * math.ceil(count / 2)
  if after > stop then return nil end
  local block = tree:add(packet(at, after - at), string.format("Stream 0x%08x: %d packets from %d", packet(at, 4):uint(), count, first))
  block:add(f.stream, packet(at, 4))
  block:add(f.begin, packet(at + 4, 2))
  block:add(f.count, packet(at + 6, 2))
  local lost = 0
  for i = 0, count - 1 do
    if not add_metric(block, packet(at + 8 + 2 * i, 2), (first + i) % 65536) then lost = lost + 1 end
  end
  block:add(f.lost, lost):set_generated()
  return after
end

local function add_ccfb(tree, packet)
  local stop = packet:len() - 4
  local top = tree:add(ccfb, packet)
  if stop < 8 then
    top:add_proto_expert_info(malformed, "shorter than its header and timestamp")
    return
  end
  top:add(f.sender, packet(4, 4))
  local at = 8
  while at and at < stop do at = add_stream(top, packet, at, stop) end
  if not at then top:add_proto_expert_info(malformed, "a block goes beyond the packet") end
  top:add(f.timestamp, packet(stop, 4))
end

function ccfb.dissector(_, pinfo, tree)
  local payload = rtcp_type() and datagram()
  if not payload then return end
  local bytes = payload.range
  local at = 0
  while at + 4 <= bytes:len() do
    local size = 4 * (bytes(at + 2, 2):uint() + 1)
    if at + size > bytes:len() then return end -- encrypted, or not whole: Wireshark says so
    if bytes(at + 1, 1):uint() == PT_RTPFB and bit.band(bytes(at, 1):uint(), 0x1F) == FMT_CCFB then
      add_ccfb(tree, bytes(at, size))
      pinfo.cols.info:append("CCFB   ")
    end
    at = at + size
  end
end

register_postdissector(ccfb)
